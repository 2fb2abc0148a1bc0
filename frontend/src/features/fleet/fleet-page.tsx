/** Placeholder until the fleet page stands. */
export function FleetPage() {
  return <h1>Fleet</h1>;
}
