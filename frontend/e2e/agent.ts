import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from './environment';

/** A second agent on this machine, with a state directory of its own that goes with it. */
export class Agent {
  readonly node: string;
  private readonly stateDir: string;
  private running: ChildProcess | undefined;
  private output = '';

  private constructor(node: string, stateDir: string) {
    this.node = node;
    this.stateDir = stateDir;
  }

  static async create(node: string): Promise<Agent> {
    return new Agent(node, await mkdtemp(join(tmpdir(), 'leadline-e2e-')));
  }

  /** Enrols with the token on standard input, as a person pastes it. */
  async enrol(token: string): Promise<void> {
    await this.command(['enroll', '--server', environment().url, '--name', this.node], token);
  }

  start(): void {
    const child = spawn(environment().agent, ['run', '--state-dir', this.stateDir], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer) => {
      this.output = (this.output + chunk.toString()).slice(-4000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    this.running = child;
  }

  async addDatabase(name: string): Promise<void> {
    const { address, user, password } = environment().database;
    await this.command(['add', 'mysql', '--name', name, '--address', address, '--user', user], password);
  }

  async remove(name: string): Promise<void> {
    await this.command(['remove', name], '');
  }

  /** Ends the agent and forgets its state. Gives the end of what it said, for the report of a failed test. */
  async stop(): Promise<string> {
    const child = this.running;
    if (child !== undefined && child.exitCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    await rm(this.stateDir, { recursive: true, force: true });
    return this.output;
  }

  private command(words: string[], input: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(environment().agent, [...words, '--state-dir', this.stateDir]);
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      child.once('error', reject);
      child.once('close', (code) => {
        if (code === 0) resolve(said);
        else reject(new Error(`leadline-agent ${words[0]} exited with ${code}: ${said}`));
      });
      child.stdin.end(input === '' ? '' : `${input}\n`);
    });
  }
}
