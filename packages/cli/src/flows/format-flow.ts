import type { FlowReport, StepReport } from '@perigee/scheduling/flows/flow-report';
import { printable } from '../output/printable.ts';
import { formatTable, type TableLayout } from '../output/table.ts';
import { paint, paintWord, type Terminal, terminalOf } from '../output/terminal.ts';
import { noteOf } from './step-note.ts';

const BAR = 16;

/** A progress bar: `██████░░░░`. */
const bar = (percentage: number): string => {
  const full = Math.round((Math.min(100, Math.max(0, percentage)) / 100) * BAR);
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${String(percentage).padStart(3)}%`;
};

const nameOf = ({ kind, namespace, name }: StepReport, own: string): string =>
  `${kind}/${namespace === own ? '' : `${namespace}/`}${name}`;

/** A step in the tree: the line art before it, and the predecessors other than its parent. */
interface Branch {
  readonly step: StepReport;
  readonly prefix: string;
  readonly joins: readonly string[];
}

/**
 * Arranges the steps as a tree: each below the last of its predecessors, so that it is drawn after all of them. Its
 * other predecessors are listed beside it.
 */
const branchesOf = ({ steps, namespace }: FlowReport): readonly Branch[] => {
  const names = steps.map((step) => nameOf(step, namespace));
  const place = new Map(names.map((name, at) => [name, at]));
  const parentOf = (step: StepReport, at: number): number | undefined => {
    const places = step.after.flatMap((one) => place.get(one) ?? []);
    const last = Math.max(...places.filter((one) => one < at), -1);
    return last < 0 ? undefined : last;
  };
  const parents = steps.map(parentOf);
  const children = Map.groupBy(steps.keys(), (at) => parents[at] ?? -1);
  const branches: Branch[] = [];
  const open: { at: number; prefix: string; below: string }[] = [];
  const push = (of: number, below: string): void => {
    const all = children.get(of) ?? [];
    for (const [index, at] of all.toReversed().entries()) {
      const isLast = index === 0;
      const isRoot = of === -1;
      open.push({
        at,
        prefix: isRoot ? '' : `${below}${isLast ? '└─ ' : '├─ '}`,
        below: isRoot ? '' : `${below}${isLast ? '   ' : '│  '}`,
      });
    }
  };
  push(-1, '');
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const step = steps[next.at] as StepReport;
    const parent = parents[next.at];
    const joins = step.after.filter((one) => parent === undefined || one !== names[parent]);
    branches.push({ step, prefix: next.prefix, joins });
    push(next.at, next.below);
  }
  return branches;
};

const headOf = ({ name, namespace, phase, complete, steps }: FlowReport, terminal: Terminal) =>
  `${paint(terminal, 'bold', `Flow ${name}`)} in ${namespace}: ${paintWord(terminal, phase, phase)}, ` +
  `${complete} of ${steps.length} steps complete\n`;

/** For terminals: a tree with bars. */
const formatTree = (flow: FlowReport, terminal: Terminal, isWide: boolean): string => {
  const branches = branchesOf(flow);
  const titles = branches.map(({ step, prefix }) => `${prefix}${nameOf(step, flow.namespace)}`);
  const width = Math.max(...titles.map((title) => title.length));
  const phases = Math.max(...flow.steps.map(({ phase }) => phase.length));
  const where = Math.max(...flow.steps.map(({ clusters }) => clusters.join(', ').length));
  const lines = branches.map(({ step, joins }, at) => {
    const { phase, clusters, progress } = step;
    const progressBar = progress?.percentage === undefined ? [] : [bar(progress.percentage)];
    const also = joins.length === 0 ? [] : [`also after ${joins.join(', ')}`];
    const note = [...progressBar, ...also, noteOf(step, isWide)]
      .filter((one) => one !== '')
      .join('  ');
    const start = `${titles[at]?.padEnd(width)}   ${phase.padEnd(phases)}   ${clusters.join(', ').padEnd(where)}`;
    const room = isWide ? Number.POSITIVE_INFINITY : (terminal.width ?? 0) - start.length - 3;
    const text = printable(note);
    const cut = text.length <= room ? text : `${text.slice(0, Math.max(0, room - 1))}…`;
    const painted = start.replace(phase, () => paintWord(terminal, phase, phase));
    return `${painted}   ${cut}`.trimEnd();
  });
  return `${headOf(flow, terminal)}${lines.join('\n')}\n`;
};

/** For everything else: one plain line for each step. */
const formatLines = (flow: FlowReport, terminal: Terminal, isWide: boolean): string => {
  const rows = flow.steps.map((step) => [
    nameOf(step, flow.namespace),
    step.phase,
    step.clusters.join(',') || '-',
    step.progress?.percentage === undefined ? '-' : `${step.progress.percentage}%`,
    step.after.join(',') || '-',
    noteOf(step, isWide),
  ]);
  const header = ['STEP', 'PHASE', 'CLUSTERS', 'PROGRESS', 'AFTER', 'NOTE'];
  return headOf(flow, terminal) + formatTable([header, ...rows], { terminal, isWide: true });
};

/** Formats a flow: a tree on a terminal, plain lines otherwise. */
export const formatFlow = (
  flow: FlowReport,
  { terminal = terminalOf(process.stdout), isWide = false }: TableLayout = {},
): string =>
  terminal.width === undefined
    ? formatLines(flow, terminal, isWide)
    : formatTree(flow, terminal, isWide);

const NO_FLOWS = 'There are no flows: a DataLoad, DataMigrate, DataBackup or DataProcess is one.\n';

const share = ({ steps, complete }: FlowReport): number => {
  const parts = steps.map(({ progress }) => (progress?.percentage ?? 0) / 100);
  const completion = complete + parts.reduce((sum, one) => sum + one, 0);
  return steps.length === 0 ? 100 : Math.floor((100 * completion) / steps.length);
};

/** The most interesting step of a flow: failed, else running, else waiting. */
const reportedStep = ({ steps }: FlowReport): StepReport | undefined =>
  steps.find(({ phase }) => phase === 'Failed') ??
  steps.find(({ phase }) => phase === 'Executing') ??
  steps.find(({ phase }) => phase === 'Pending');

export const formatFlows = (flows: readonly FlowReport[], layout: TableLayout): string => {
  if (flows.length === 0) return NO_FLOWS;
  const { isWide = false, terminal = terminalOf(process.stdout) } = layout;
  const rows = flows.map((flow) => {
    const { namespace, name, phase, complete, steps } = flow;
    const step = reportedStep(flow);
    const clusters = [...new Set(steps.flatMap((one) => one.clusters))].sort().join(',');
    return [
      namespace,
      name,
      phase,
      `${complete}/${steps.length}`,
      terminal.width === undefined ? `${share(flow)}%` : bar(share(flow)),
      clusters || '-',
      step === undefined ? '-' : nameOf(step, namespace),
      ...(isWide ? [step === undefined ? '' : noteOf(step)] : []),
    ];
  });
  const header = ['NAMESPACE', 'FLOW', 'PHASE', 'STEPS', 'PROGRESS', 'CLUSTERS', 'NOW'];
  return formatTable([[...header, ...(isWide ? ['WHY'] : [])], ...rows], { ...layout, terminal });
};
