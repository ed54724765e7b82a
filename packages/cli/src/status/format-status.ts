import { formatAge } from '../output/age.ts';
import { formatBytes, formatCores } from '../output/amount.ts';
import { formatReasonsTable } from '../output/reasons-table.ts';
import { formatTable, type TableLayout } from '../output/table.ts';
import { paint, type Terminal } from '../output/terminal.ts';
import { fitProse } from '../output/wrap.ts';
import type {
  ClustersStatus,
  ControllersStatus,
  DoubtfulWork,
  FleetStatus,
  HeldWork,
  Part,
  SchedulersStatus,
  Trouble,
  TroublesStatus,
  WorkStatus,
} from './fleet-status.ts';

export interface StatusLayout extends TableLayout {
  readonly terminal: Terminal;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
}

const indented = (table: string): string => table.replaceAll(/^(?=.)/gm, '  ');

/** A table, indented by two columns. */
const inset = (
  rows: readonly (readonly string[])[],
  layout: StatusLayout,
  format: typeof formatTable = formatTable,
): string => {
  const { width } = layout.terminal;
  const terminal = width === undefined ? layout.terminal : { ...layout.terminal, width: width - 2 };
  return indented(format(rows, { ...layout, terminal }));
};

const more = (total: number, shownCount: number, hint: string): string =>
  total > shownCount ? `  … and ${total - shownCount} more: ${hint}\n` : '';

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

const formatClusters = (status: ClustersStatus, layout: StatusLayout) => {
  const { total, ready, counted, clusters } = status;
  if (total === 0) {
    return ['none; "perigee register" makes one known', ''];
  }
  const room = counted ? `; room is counted on the nodes of ${counted}` : '';
  const summary = `${total}, of which ${ready} ready${total > ready ? `, ${total - ready} not` : ''}${room}`;
  const rows = clusters.map((cluster) => {
    const { free = {}, reason = '', message = '' } = cluster;
    return [
      cluster.name,
      cluster.phase,
      cluster.homeScheduler ?? '-',
      cluster.region ?? '-',
      free.cpu === undefined ? '-' : formatCores(free.cpu),
      free.memory === undefined ? '-' : formatBytes(free.memory),
      free.pods ?? '-',
      layout.isWide && reason !== '' ? `${reason}: ${message}` : reason,
    ];
  });
  const header = ['NAME', 'PHASE', 'HOME', 'REGION', 'FREE CPU', 'MEMORY', 'PODS', 'WHY NOT'];
  return [
    summary,
    inset([header, ...rows], layout, formatReasonsTable) +
      more(total, clusters.length, '"perigee list clusters"'),
  ];
};

const formatSchedulers = (
  { total, active, schedulers }: SchedulersStatus,
  layout: StatusLayout,
) => {
  if (total === 0) return ['only the one that is built in', ''];
  const rows = schedulers.map(({ name, phase, clusters, inUse }) => [
    name,
    phase,
    String(clusters),
    String(inUse),
  ]);
  const table = inset([['NAME', 'PHASE', 'CLUSTERS', 'IN USE'], ...rows], layout);
  return [
    `${total}, of which ${active} active`,
    table + more(total, schedulers.length, '"perigee list schedulers"'),
  ];
};

const titleOf = ({ kind, namespace, name }: HeldWork | DoubtfulWork | Trouble): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

const heldRow = (work: HeldWork, now: number): readonly string[] => {
  const { since, reason, message } = work;
  return [titleOf(work), formatAge(now - Date.parse(since)), reason, message];
};

const formatHeld = ({ waiting, reasons, held }: WorkStatus, layout: StatusLayout): string => {
  if (waiting === 0) return '';
  const counts = Object.entries(reasons)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${reason}`);
  const title = paint(layout.terminal, 'bold', 'Held work');
  const header = ['WORK', 'SINCE', 'REASON', 'WHY'];
  const rows = [header, ...held.map((one) => heldRow(one, layout.now))];
  return (
    `\n${title}: ${counts.join(', ')}; the oldest first\n` +
    inset(rows, layout, formatReasonsTable) +
    more(waiting, held.length, '"perigee status --limit 1000"')
  );
};

const formatStaying = ({ unmet, staying }: WorkStatus, layout: StatusLayout): string => {
  if (unmet === 0) return '';
  const title = paint(layout.terminal, 'bold', 'Work that stays where it is');
  const header = ['WORK', 'SINCE', 'REASON', 'WHY'];
  const rows = [header, ...staying.map((one) => heldRow(one, layout.now))];
  return (
    `\n${title}: what is wanted of it now has no place, or is held\n` +
    inset(rows, layout, formatReasonsTable) +
    more(unmet, staying.length, '"perigee status --limit 1000"')
  );
};

const formatDoubtful = ({ doubtful, amiss }: WorkStatus, layout: StatusLayout): string => {
  if (amiss === 0) return '';
  const title = paint(layout.terminal, 'bold', 'Work in doubt');
  const header = ['WORK', 'REASON', 'WHY'];
  const rows = doubtful.map((one) => [
    titleOf(one),
    one.more > 0 ? `${one.reason}, ${one.more} more` : one.reason,
    one.message,
  ]);
  return (
    `\n${title}: it is placed, and not as it should be\n` +
    inset([header, ...rows], layout, formatReasonsTable) +
    more(amiss, doubtful.length, '"perigee status --limit 1000"')
  );
};

const formatOthers = (status: TroublesStatus, layout: StatusLayout) => {
  const { total, troubles, hiddenKinds } = status;
  const hidden =
    hiddenKinds.length === 0 ? '' : `; you may not see these: ${hiddenKinds.join(', ')}`;
  if (total === 0) {
    return [`nothing ${hidden === '' ? '' : 'that you may see '}is amiss${hidden}`, ''];
  }
  const header = ['OBJECT', 'SINCE', 'REASON', 'WHY'];
  const rows = troubles.map((trouble) => [
    titleOf(trouble),
    formatAge(layout.now - Date.parse(trouble.since)),
    trouble.reason,
    trouble.message,
  ]);
  return [
    `${plural(total, 'problem')}${hidden}`,
    inset([header, ...rows], layout, formatReasonsTable) +
      more(total, troubles.length, '"perigee status --limit 1000"'),
  ];
};

const formatWork = (work: WorkStatus, layout: StatusLayout) => {
  const { total, scheduled, applied, unknownHealth, amiss, unmet, waiting } = work;
  if (total === 0) {
    return ['none; a propagation policy that selects something makes some', ''];
  }
  const late = scheduled - applied;
  const summary = [
    `${plural(total, 'binding')}: ${scheduled} placed`,
    ...(late > 0 ? [`${late} of them not yet applied everywhere`] : []),
    ...(amiss > 0 ? [`${amiss} not well`] : []),
    ...(unknownHealth > 0 ? [`${unknownHealth} of unknown health`] : []),
    ...(unmet > 0 ? [`${unmet} unable to become what is wanted now`] : []),
    `${waiting} waiting`,
  ].join(', ');
  return [
    summary,
    formatDoubtful(work, layout) + formatStaying(work, layout) + formatHeld(work, layout),
  ];
};

const formatControllers = ({ total, troubles }: ControllersStatus, layout: StatusLayout) => {
  if (total === 0) return ['all work', ''];
  const rows = troubles.map((trouble) => [
    trouble.cluster === undefined
      ? trouble.controller
      : `${trouble.controller} in ${trouble.cluster}`,
    trouble.object || '-',
    formatAge(layout.now - Date.parse(trouble.since)),
    `${trouble.problem}, ${trouble.times}×`,
    trouble.message,
  ]);
  const header = ['CONTROLLER', 'OBJECT', 'SINCE', 'PROBLEM', 'WHY'];
  return [
    plural(total, 'problem'),
    inset([header, ...rows], layout, formatReasonsTable) +
      more(total, troubles.length, '"perigee status --limit 1000"'),
  ];
};

const section = <T extends object>(
  title: string,
  part: Part<T>,
  layout: StatusLayout,
  format: (part: T, layout: StatusLayout) => readonly string[],
): string => {
  const [summary = '', body = ''] = 'unknown' in part ? [part.unknown] : format(part as T, layout);
  const prose = fitProse(`${title}: ${summary}`, layout.terminal).slice(title.length);
  return `${paint(layout.terminal, 'bold', title)}${prose}\n${body}`;
};

/** Formats the status of the fleet for one screen. */
export const formatStatus = (status: FleetStatus, layout: StatusLayout): string =>
  [
    section('Clusters', status.clusters, layout, formatClusters),
    section('Schedulers', status.schedulers, layout, formatSchedulers),
    section('Work', status.work, layout, formatWork),
    section('Data, queues and triggers', status.others, layout, formatOthers),
    section('Controllers', status.controllers, layout, formatControllers),
  ].join('\n');
