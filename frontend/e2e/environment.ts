import { fileURLToPath } from 'node:url';

/** Where the session of the sign-in test is kept for the tests after it. */
export const SESSION_FILE = fileURLToPath(new URL('../test-results/session.json', import.meta.url));

/** Where screenshots for the README go. */
export const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/** The database that the second agent is told to watch. */
interface MonitoredDatabase {
  /** host:port on this machine. */
  address: string;
  user: string;
  password: string;
}

interface Environment {
  url: string;
  email: string;
  password: string;
  agent: string;
  database: MonitoredDatabase;
}

/** What the tests are told of the running product. @throws naming the variable that is missing or wrong. */
export function environment(): Environment {
  return {
    url: required('LEADLINE_E2E_URL'),
    email: required('LEADLINE_E2E_EMAIL'),
    password: required('LEADLINE_E2E_PASSWORD'),
    agent: required('LEADLINE_E2E_AGENT_BIN'),
    database: database(required('LEADLINE_E2E_MARIADB')),
  };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; deploy/tests/end_to_end.py sets it.`);
  return value;
}

function database(text: string): MonitoredDatabase {
  const { address, user, password }: Partial<MonitoredDatabase> = JSON.parse(text);
  if (!address || !user || !password) {
    throw new Error('LEADLINE_E2E_MARIADB must be JSON with address, user and password.');
  }
  return { address, user, password };
}
