import { setTimeout as pause } from 'node:timers/promises';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { createConnection } from 'mysql2/promise';
import { environment } from './environment';

/** What the server itself counted at one moment. */
interface Reading {
  /** Unix seconds. */
  at: number;
  questions: number;
}

/** A person's own look at the database, beside Leadline's. */
export class DatabaseProbe {
  private readonly connection: Connection;

  private constructor(connection: Connection) {
    this.connection = connection;
  }

  static async open(): Promise<DatabaseProbe> {
    const { address, user, password } = environment().database;
    const [host = '', port = ''] = address.split(':');
    return new DatabaseProbe(await createConnection({ host, port: Number(port), user, password }));
  }

  async read(): Promise<Reading> {
    const sent = Date.now();
    const [rows] = await this.connection.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Questions'");
    return { at: (sent + Date.now()) / 2000, questions: Number(rows[0]?.['Value']) };
  }

  /** Asks cheap questions at an even pace, so that the server has a rate worth comparing, and gives the readings around them. */
  async askFor(seconds: number, perSecond: number): Promise<[before: Reading, after: Reading]> {
    const before = await this.read();
    const start = performance.now();
    for (let asked = 0; asked < seconds * perSecond; asked += 1) {
      await this.connection.query('DO 1');
      await pause(Math.max(0, start + ((asked + 1) * 1000) / perSecond - performance.now()));
    }
    return [before, await this.read()];
  }

  async close(): Promise<void> {
    await this.connection.end();
  }
}
