/** Placeholder until the service page stands. */
export function ServicePage() {
  return <h1>Service</h1>;
}
