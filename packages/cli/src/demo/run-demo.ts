import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Progress } from '@perigee/host/progress';
import { startPerigee } from '@perigee/host/start-perigee';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { childSchedulers } from '../clusters/scheduler/child-schedulers.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { pathSetting } from '../on-path.ts';
import { paint, terminalOf } from '../output/terminal.ts';
import { untilAskedToStop } from '../until-asked-to-stop.ts';
import type { DemoStep } from './demo-step.ts';
import { findPrograms, type Programs } from './programs.ts';
import { writeSamples, writeYaml } from './props.ts';
import { Stage } from './stage.ts';
import { loseCluster, placeWork, returnCluster } from './steps/move-work.ts';
import { collectData, runFlow } from './steps/prepare-data.ts';
import { registerClusters } from './steps/register-clusters.ts';
import { shareClusters } from './steps/share-clusters.ts';
import { holdTraining, startTraining } from './steps/train-model.ts';

/** The scenes in order. */
const STORY: readonly DemoStep[] = [
  registerClusters,
  shareClusters,
  collectData,
  holdTraining,
  runFlow,
  startTraining,
  placeWork,
  loseCluster,
  returnCluster,
];

const STAGES = [
  'know the clusters',
  'prepare the data',
  'claim the data',
  'place the work',
  'run it together',
];

export interface DemoOptions {
  readonly once?: boolean;
  /** Shows only this scene, counted from 1. */
  readonly scene?: number;
  /** Waits for a key before each scene. */
  readonly pause?: boolean;
  readonly port: number;
}

const ROOT = new URL('../../../..', import.meta.url).pathname;
const terminal = terminalOf(process.stdout);

const WIDTH = 78;
const wrapText = (text: string): string => {
  const lines = text.match(new RegExp(`.{1,${WIDTH - 5}}(?:\\s|$)`, 'g')) ?? [text];
  return lines.map((line) => `     ${line.trimEnd()}\n`).join('');
};

const lacking = ({ kubectl, curl }: Programs, runsScripts: boolean): string => {
  const missingPrograms = [
    ...(kubectl === undefined ? ['kubectl'] : []),
    ...(curl === undefined ? ['curl'] : []),
  ];
  const programs =
    missingPrograms.length === 0
      ? ''
      : `There is no ${missingPrograms.join(' and no ')} on your PATH: Perigee sends the same requests itself. `;
  const scripts = runsScripts
    ? ''
    : 'This machine gives scripts no file system of their own, so that the one of the flow is played, not run.';
  return programs + scripts === '' ? '' : `\n${wrapText(programs + scripts)}`;
};

const afterwards = (settings: readonly string[]): string => `
   The control plane stays up for you. In another terminal:

${settings.map((line) => `     ${line}\n`).join('')}     perigee status
     perigee data
     perigee flow list
     kubectl --context=tokyo get pods

   Press Ctrl-C to stop; nothing is kept.
`;

const heading = (at: number, { title, stages, why }: DemoStep): string => {
  const names = stages.map((stage) => `${stage} ${STAGES[stage - 1]}`).join(', ');
  const scene = paint(terminal, 'bold', `${at + 1}/${STORY.length}  ${title}`);
  return `\n${scene}  ${paint(terminal, 'dim', `(stage ${names})`)}\n${wrapText(why)}`;
};

const checkScene = (scene: number | undefined): void => {
  if (scene === undefined || (Number.isInteger(scene) && STORY[scene - 1] !== undefined)) return;
  throw new CommandError(EXIT.usage, `--scene: the story has scenes 1 to ${STORY.length}`);
};

const untilEnter = async (signal: AbortSignal): Promise<void> => {
  const input = createInterface({ input: process.stdin, output: process.stdout });
  await input.question(paint(terminal, 'dim', '\n     Press Enter to go on. '), { signal });
  input.close();
};

/** A temporary folder, deleted at the end of the demo. */
const openFolder = (stack: AsyncDisposableStack): string => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-demo-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Plays the demo on a control plane of its own; fails at the first outcome that does not come true. */
export const runDemo = async (options: DemoOptions): Promise<void> => {
  const { once = false, scene, pause = false, port } = options;
  checkScene(scene);
  const stopRequest = untilAskedToStop();
  const controller = new AbortController();
  void stopRequest.then(() => controller.abort());
  const { signal } = controller;
  const from = clock.monotonic();
  const logger = createLogger({ clock, level: 'error' });
  await using stack = new AsyncDisposableStack();
  const folder = openFolder(stack);
  const samples = join(folder, 'samples');
  writeSamples(samples);
  let runsScripts = false;
  const onProgress = (progress: Progress): void => {
    if (progress.step === 'processes') runsScripts = progress.isolation.kind === 'namespaces';
  };
  const perigee = stack.use(
    await startPerigee({
      ...{ port, clock, logger, onProgress },
      runProcesses: true,
      processNamespaces: ['default'],
      hostPaths: [samples],
      schedulers: (kubeconfig) => childSchedulers({ kubeconfig }, { clock, logger }),
    }),
  );
  writeYaml(join(ROOT, 'examples/demo'), folder, { samples, runsScripts });
  const programs = findPrograms();
  let isSilent = scene !== undefined;
  const write = (text: string): void => {
    if (!isSilent) process.stdout.write(text);
  };
  const stage = new Stage({
    ...{ perigee, programs, root: ROOT, folder, runsScripts, clock, signal, terminal, write },
    isSilent: () => isSilent,
  });
  const settings = Object.entries(stage.variables).map(
    ([name, value]) => `     ${name}=${value}\n`,
  );
  process.stdout.write(
    `\n${paint(terminal, 'bold', `Perigee, in ${STORY.length} scenes`)}: data, work and clusters in one loop\n${lacking(programs, runsScripts)}` +
      `\n   The commands below use these:\n\n${settings.join('')}     KUBECONFIG=${perigee.kubeconfig}\n`,
  );
  for (const [at, step] of STORY.slice(0, scene).entries()) {
    isSilent = scene !== undefined && at + 1 !== scene;
    if (pause && !isSilent) await untilEnter(signal);
    write(heading(at, step));
    await step.play(stage);
  }
  const seconds = ((clock.monotonic() - from) / 1000).toFixed(0);
  write(`\n${paint(terminal, 'green', '✔')} Everything came true, in ${seconds} s.\n`);
  if (once) return;
  write(afterwards([pathSetting() ?? [], `export KUBECONFIG=${perigee.kubeconfig}`].flat()));
  await stopRequest;
};
