import { execFileSync } from 'node:child_process';
import { kubectlBinary } from '../test/clients/client-binaries.ts';
import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';

const ROUNDS = 15;
/** Longest time of a command, from the Enter key to the next prompt. */
const LIMIT_MS = 150;
const LAUNCHER = new URL('../perigee', import.meta.url).pathname;

interface Run {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** One run of a program, as the shell counts it. */
const time = (program: string, args: readonly string[], kubeconfig: string): Run => {
  const script = 'TIMEFORMAT="%R %U %S"; time "$0" "$@" >/dev/null 2>&1';
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, KUBECONFIG: kubeconfig };
  // Node.js gives no account of the time that a child has used; bash does, on its standard error.
  const output = execFileSync('bash', ['-c', `{ ${script}; } 2>&1`, program, ...args], { env });
  const [real = 0, user = 0, system = 0] = String(output).trim().split(' ').map(Number);
  return { wallMs: real * 1000, cpuMs: (user + system) * 1000 };
};

type Contender = () => Run;

/** Rounds of all contenders in turn, after one that fills the caches. */
const race = (contenders: readonly Contender[]): readonly (readonly Run[])[] => {
  for (const run of contenders) run();
  const rounds = Array.from({ length: ROUNDS }, () => contenders.map((run) => run()));
  return contenders.map((_, at) => rounds.map((round) => round[at] ?? { wallMs: 0, cpuMs: 0 }));
};

/** `perigee get` from start to end, beside the limit, kubectl, and a Node.js that does nothing. */
export const cliStartBenchmark: Benchmark = {
  name: 'cli-start',
  run: async (): Promise<readonly Figure[]> => {
    using server = new Child<never, string>('./cli-start-server.ts');
    const kubeconfig = await server.answer();
    const kubectl = kubectlBinary();
    if (kubectl.skip) throw new Error(kubectl.skip);
    const question = ['get', 'clusters.globalscheduler.com'];
    const [ours = [], theirs = [], floor = []] = race([
      () => time(LAUNCHER, question, kubeconfig),
      () => time(kubectl.path, question, kubeconfig),
      () => time(process.execPath, ['-e', '0'], kubeconfig),
    ]);
    const wall = (runs: readonly Run[]) => runs.map(({ wallMs }) => wallMs);
    const cpu = (runs: readonly Run[]) => runs.map(({ cpuMs }) => cpuMs);
    const about = { what: 'perigee get', unit: 'ms', better: 'less' } as const;
    const limit = ours.map(() => LIMIT_MS);
    return [
      figureOf({ ...about, peer: 'the limit', goal: 1 }, { ours: wall(ours), theirs: limit }),
      figureOf(
        { ...about, peer: 'kubectl get', goal: 0.4 },
        { ours: wall(ours), theirs: wall(theirs) },
      ),
      figureOf(
        { ...about, unit: 'CPU ms', peer: 'node -e 0', goal: 0.15 },
        { ours: cpu(ours), theirs: cpu(floor) },
      ),
    ];
  },
};
