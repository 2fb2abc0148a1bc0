import { CommandLine } from '@/ui/command-line';
import classes from './enrolment-page.module.css';

const GRANT = `CREATE USER leadline@localhost IDENTIFIED BY 'a long password';
GRANT PROCESS, REPLICATION CLIENT ON *.* TO leadline@localhost;`;
const ADD = 'bin/leadline-agent add mysql --name orders-db --address 127.0.0.1:3306 --user leadline';
const CHECK = 'bin/leadline-agent check orders-db';

/** The three lines between an enrolled host and its database's first chart. */
export function AddDatabase() {
  return (
    <ol className={classes.steps}>
      <li className={classes.step}>
        <div>
          <p className={classes.words}>
            In MySQL or MariaDB, make a user that may look and not touch. It gets no right to read tables.
          </p>
          <CommandLine name="the SQL" text={GRANT} />
        </div>
      </li>
      <li className={classes.step}>
        <div>
          <p className={classes.words}>
            On the host, add the database. It asks for the password, which stays on the host.
          </p>
          <CommandLine name="the add command" text={ADD} />
          <p className={classes.once}>
            The name is fixed once given: charts and links use it. <code>unix:/path/to/mysqld.sock</code> is
            an address as well.
          </p>
        </div>
      </li>
      <li className={classes.step}>
        <div>
          <p className={classes.words}>See that it works, or which grant is missing.</p>
          <CommandLine name="the check command" text={CHECK} />
        </div>
      </li>
    </ol>
  );
}
