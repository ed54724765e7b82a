import { startPerigee } from '@perigee/host/start-perigee';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { childSchedulers } from '../clusters/scheduler/child-schedulers.ts';
import { pathSetting } from '../on-path.ts';
import { paint, terminalOf } from '../output/terminal.ts';
import { untilAskedToStop } from '../until-asked-to-stop.ts';
import type { DemoStep } from './demo-step.ts';
import { findPrograms, type Programs } from './programs.ts';
import { Stage } from './stage.ts';
import { addScheduler, homeSchedulers } from './steps/home-schedulers.ts';
import { knowTheClusters } from './steps/know-the-clusters.ts';
import { explainPlacement, loseCluster, placeWork } from './steps/place-work.ts';
import { registerClusters } from './steps/register-clusters.ts';

/** The story so far, one scene after the other. */
const STORY: readonly DemoStep[] = [
  knowTheClusters,
  registerClusters,
  homeSchedulers,
  placeWork,
  explainPlacement,
  loseCluster,
  addScheduler,
];

export interface DemoOptions {
  readonly once?: boolean;
  readonly port: number;
}

const ROOT = new URL('../../../..', import.meta.url).pathname;
const terminal = terminalOf(process.stdout);
const write = (text: string): void => void process.stdout.write(text);

const WIDTH = 78;
const wrapped = (text: string): string => {
  const lines = text.match(new RegExp(`.{1,${WIDTH - 5}}(?:\\s|$)`, 'g')) ?? [text];
  return lines.map((line) => `     ${line.trimEnd()}\n`).join('');
};

const lacking = ({ kubectl, curl }: Programs): string => {
  const missing = [
    ...(kubectl === undefined ? ['kubectl'] : []),
    ...(curl === undefined ? ['curl'] : []),
  ];
  return missing.length === 0
    ? ''
    : `\n     There is no ${missing.join(' and no ')} on your PATH: Perigee sends the same requests itself.\n`;
};

const afterwards = (settings: readonly string[]): string => `
   The control plane stays up for you. In another terminal:

${settings.map((line) => `     ${line}\n`).join('')}     perigee status
     perigee list clusters
     kubectl --context=member1 get pods

   Press Ctrl-C to stop; nothing is kept.
`;

/** Plays the story on a control plane of its own, and fails at the first thing that does not come true. */
export const runDemo = async ({ once = false, port }: DemoOptions): Promise<void> => {
  const stopped = untilAskedToStop();
  const ended = new AbortController();
  void stopped.then(() => ended.abort());
  const from = clock.monotonic();
  const logger = createLogger({ clock, level: 'error' });
  await using perigee = await startPerigee({
    port,
    clock,
    logger,
    schedulers: (kubeconfig) => childSchedulers({ kubeconfig }, { clock, logger }),
  });
  const programs = findPrograms();
  write(
    `\n${paint(terminal, 'bold', 'Perigee, in seven scenes')}: a control plane for many clusters\n${lacking(programs)}`,
  );
  const { signal } = ended;
  const stage = new Stage({ perigee, programs, root: ROOT, clock, signal, terminal, write });
  const settings = Object.entries(stage.variables).map(
    ([name, value]) => `     ${name}=${value}\n`,
  );
  write(
    `\n   The commands below use these:\n\n${settings.join('')}     KUBECONFIG=${perigee.kubeconfig}\n`,
  );
  for (const [at, { title, why, play }] of STORY.entries()) {
    write(`\n${paint(terminal, 'bold', `${at + 1}/${STORY.length}  ${title}`)}\n${wrapped(why)}`);
    await play(stage);
  }
  const seconds = ((clock.monotonic() - from) / 1000).toFixed(0);
  write(`\n${paint(terminal, 'green', '✔')} Everything came true, in ${seconds} s.\n`);
  if (once) return;
  write(afterwards([pathSetting() ?? [], `export KUBECONFIG=${perigee.kubeconfig}`].flat()));
  await stopped;
};
