import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Perigee } from '@perigee/host/start-perigee';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { present } from '@perigee/schema/present';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { paint, type Terminal } from '../output/terminal.ts';
import type { Programs } from './programs.ts';
import { followProgram, runProgram } from './run-program.ts';
import { withoutKubectl } from './without-kubectl.ts';

const argumentOf = (args: readonly string[], flag: string): string =>
  args[args.indexOf(flag) + 1] ?? '';

/** Sends the requests of curl on machines without it. */
const withoutCurl = (args: readonly string[], cwd: string): Promise<string> => {
  const file = (flag: string): Buffer =>
    readFileSync(resolve(cwd, argumentOf(args, flag).replace(/^@/, '')));
  const { promise, resolve: settle, reject } = Promise.withResolvers<string>();
  const httpRequest = request(
    args.at(-1) ?? '',
    {
      method: 'POST',
      ca: file('--cacert'),
      cert: file('--cert'),
      key: file('--key'),
      headers: { 'content-type': 'application/json' },
    },
    (response) => {
      text(response).then(settle, reject);
    },
  );
  httpRequest.on('error', reject);
  httpRequest.end(file('--data'));
  return promise;
};

export interface StageOptions {
  readonly perigee: Perigee;
  readonly programs: Programs;
  /** The checkout, where the demo finds its files. */
  readonly root: string;
  /** The folder of YAML that names folders of this machine. */
  readonly folder: string;
  /** True if this machine can give scripts a file system of their own. */
  readonly runsScripts: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
  /** True while output is suppressed. */
  readonly isSilent: () => boolean;
  readonly write: (text: string) => void;
}

const PAUSE_MS = 100;
const PATIENCE_MS = 60_000;

/** Quotes a word for a shell. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const INDENT = '     ';
/** The width of a line on a standard terminal, less the indentation, the prompt and the backslash. */
const LONGEST = 80 - INDENT.length - '$ '.length - ' \\'.length;

/** Joins a flag with its value, so that they stay on one line. */
const parts = (words: readonly string[]): readonly string[] => {
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isValue = before !== undefined && /^-[^ =]+$/.test(before) && !word.startsWith('-');
    if (isValue) joined[joined.length - 1] = `${before} ${word}`;
    else joined.push(word);
  }
  return joined;
};

/** Breaks a long command line with backslashes, as a shell accepts it. */
const folded = (words: readonly string[]): string => {
  const lines: string[] = [];
  for (const part of parts(words)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + part.length > LONGEST) lines.push(part);
    else lines[lines.length - 1] = `${line} ${part}`;
  }
  return lines.join(` \\\n${INDENT}  `);
};

const indented = (text: string): string =>
  text
    .trimEnd()
    .replaceAll(/^/gm, INDENT)
    .replaceAll(/[ \t]+$/gm, '');

/** Runs the demo's commands visibly, and checks their outcomes. */
export class Stage {
  readonly #options: StageOptions;

  constructor(options: StageOptions) {
    this.#options = options;
  }

  /** The client for checks beside the commands. */
  get client(): Client {
    return this.#options.perigee.client;
  }

  get runsScripts(): boolean {
    return this.#options.runsScripts;
  }

  /**
   * Shell variables for values too long to show: the folder of certificates, the server's address, and the folder
   * of the demo's YAML.
   */
  get variables(): { readonly PKI: string; readonly SERVER: string; readonly DEMO: string } {
    const { perigee, folder } = this.#options;
    const { kubeconfig, server } = perigee;
    return { PKI: join(dirname(kubeconfig), 'pki'), SERVER: server.url, DEMO: folder };
  }

  /** Prints a command, runs it and prints its output. Throws when it fails. */
  async type(program: keyof Programs, ...args: readonly string[]): Promise<string> {
    const typed = this.#typed(program, args);
    const output = await this.#run(program, args, typed);
    if (output.trim() !== '') this.#options.write(`${indented(output)}\n`);
    return output;
  }

  /** Prints and runs a command whose output is shown live. */
  async follow(program: 'perigee', ...args: readonly string[]): Promise<void> {
    const { programs, root: cwd, signal, perigee, isSilent, write } = this.#options;
    const typed = this.#typed(program, args);
    const isDrawn = process.stdout.isTTY && !isSilent();
    const notify = (line: string): void => write(`${INDENT}${line}\n`);
    const env = { KUBECONFIG: perigee.kubeconfig };
    const options = { cwd, signal, env, ...present({ notify: isDrawn ? undefined : notify }) };
    const code = await followProgram(programs[program], args, options);
    if (code !== 0) throw new CommandError(EXIT.failed, `${typed} ended with ${code}`);
  }

  #typed(program: keyof Programs, args: readonly string[]): string {
    const { terminal, write } = this.#options;
    const words = [program, ...args.map((word) => this.#short(word))];
    write(`\n${INDENT}${paint(terminal, 'bold', `$ ${folded(words)}`)}\n`);
    return words.join(' ');
  }

  #short(word: string): string {
    for (const [name, value] of Object.entries(this.variables)) {
      if (word.startsWith(value)) return `$${name}${quoted(word.slice(value.length))}`;
    }
    return quoted(word);
  }

  async #run(program: keyof Programs, args: readonly string[], typed: string): Promise<string> {
    const { programs, root: cwd, signal, perigee, terminal } = this.#options;
    const executable = programs[program];
    if (executable === undefined) {
      return program === 'curl' ? withoutCurl(args, cwd) : withoutKubectl(this.client, args, cwd);
    }
    const { width } = terminal;
    const env = {
      KUBECONFIG: perigee.kubeconfig,
      ...present({
        PERIGEE_COLUMNS: width === undefined ? undefined : String(width - INDENT.length),
      }),
    };
    const { code, stdout, stderr } = await runProgram(executable, args, { cwd, env, signal });
    if (code !== 0)
      throw new CommandError(EXIT.failed, `${typed} ended with ${code}:\n${stderr || stdout}`);
    return stdout;
  }

  /** Waits until a condition holds, and prints it. */
  async until(what: string, isSo: () => Promise<boolean>, withinMs = PATIENCE_MS): Promise<void> {
    const { clock, signal, write, terminal } = this.#options;
    const from = clock.monotonic();
    while (!(await isSo())) {
      if (clock.monotonic() - from > withinMs) {
        throw new CommandError(
          EXIT.failed,
          `after ${withinMs / 1000} s it is not true that ${what}`,
        );
      }
      await clock.sleep(PAUSE_MS, signal);
    }
    write(`\n   ${paint(terminal, 'green', '✔')} ${what}\n`);
  }
}
