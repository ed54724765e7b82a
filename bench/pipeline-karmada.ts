import { hasApiServer, noKarmada } from '../test/data/karmada-programs.ts';
import { Child } from './child.ts';
import { type Figure, figureOf } from './figure.ts';
import type { PipelineOrder, PipelineResult } from './pipeline-protocol.ts';

const PEER = 'Karmada, limits lifted';

const beside = (what: string, unit: string, ours: number, theirs: number): Figure =>
  figureOf({ what, unit, better: 'less', peer: PEER, goal: 1 }, { ours: [ours], theirs: [theirs] });

/**
 * The same by Karmada's own programs on a kube-apiserver with a durable etcd, over the same virtual members. Nothing
 * where PERIGEE_TEST_KARMADA does not name a folder that has them.
 */
export const besideKarmada = async (
  order: PipelineOrder,
  ours: PipelineResult,
  printedWrites: (writes: PipelineResult['writes']) => void,
): Promise<readonly Figure[]> => {
  if (noKarmada || !hasApiServer) {
    console.error('  Karmada is left out: PERIGEE_TEST_KARMADA names no folder that has it');
    return [];
  }
  using child = new Child<PipelineOrder, PipelineResult>('./pipeline-karmada-run.ts');
  const theirs = await child.ask(order);
  console.error(`  ${PEER}, writes of each, those of the control plane as requests:`);
  printedWrites(theirs.writes);
  return [
    beside('the same, until ready', 's', ours.readySeconds, theirs.readySeconds),
    beside('the same, deleted until gone', 's', ours.goneSeconds, theirs.goneSeconds),
    beside('for each', 'ms CPU', ours.cpuMsOfEach, theirs.cpuMsOfEach),
    beside('for each', 'writes', ours.writesOfEach, theirs.writesOfEach),
    beside('all processes, at most', 'MB', ours.peakMegabytes, theirs.peakMegabytes),
    beside('one of another namespace meanwhile', 's', ours.newcomerSeconds, theirs.newcomerSeconds),
    beside('a list of that namespace, p99', 'ms', ours.readMs, theirs.readMs),
  ];
};
