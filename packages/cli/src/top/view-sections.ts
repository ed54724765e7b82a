import type { FlowReport } from '@perigee/scheduling/flows/flow-report';
import type { SourceLine } from '../data/data-overview.ts';
import { formatAge } from '../output/age.ts';
import { formatBytes, formatCores } from '../output/amount.ts';
import { amountsCell } from '../queues/format-queues.ts';
import type { ClusterLine, HeldWork, Part } from '../status/fleet-status.ts';
import type { FleetView, Move } from './fleet-view.ts';

/** A section of the screen: a table whose first column has the title as its header. */
export interface Section {
  readonly title: string;
  /** Shown beside the title: the count, or the reason for an empty section. */
  readonly summary: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** A note for each row, shown below it. */
  readonly notes?: readonly string[];
  /** The total, of which `rows` may be the first. */
  readonly total: number;
  /** The command that lists all of them. */
  readonly more: string;
}

const EMPTY = { columns: [], rows: [], total: 0, more: '' };

const sectionOf = <T extends object>(
  title: string,
  part: Part<T>,
  format: (part: T) => Omit<Section, 'title'>,
): Section => ({
  title,
  ...('unknown' in part ? { ...EMPTY, summary: part.unknown } : format(part as T)),
});

const subject = ({
  kind,
  namespace,
  name,
}: Pick<HeldWork, 'kind' | 'namespace' | 'name'>): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

const clusterRow = ({ name, phase, region, free = {}, reason = '' }: ClusterLine) => [
  name,
  phase,
  free.cpu === undefined ? '-' : formatCores(free.cpu),
  free.memory === undefined ? '-' : formatBytes(free.memory),
  region ?? '-',
  reason,
];

const clusters = ({ clusters: part }: FleetView): Section =>
  sectionOf('CLUSTERS', part, ({ total, ready, clusters: lines }) => ({
    summary: `${ready}/${total}`,
    columns: ['PHASE', 'CPU FREE', 'MEMORY', 'REGION', 'WHY NOT'],
    rows: lines.map(clusterRow),
    total,
    more: 'perigee list clusters',
  }));

const heldWork = ({ work: part }: FleetView, now: number): Section =>
  sectionOf('HELD WORK', part, ({ total, waiting, held: lines }) => ({
    summary: `${waiting}/${total}`,
    columns: ['SINCE', 'REASON'],
    rows: lines.map((work) => [
      subject(work),
      formatAge(now - Date.parse(work.since)),
      work.reason,
    ]),
    notes: lines.map(({ message }) => message),
    total: waiting,
    more: 'perigee status',
  }));

const queues = ({ queues: part }: FleetView): Section =>
  sectionOf('QUEUES', part, (lines) => ({
    summary: String(lines.length),
    columns: ['STATE', 'SHARE', 'RUNNING', 'PENDING', 'USED'],
    rows: lines.map((line) => [
      `${'  '.repeat(line.depth)}${line.queue}`,
      line.state,
      `${Math.round(line.share * 100)}%`,
      String(line.running),
      String(line.pending),
      amountsCell(line.used),
    ]),
    total: lines.length,
    more: 'perigee queue',
  }));

const placesOf = ({ clusters: places }: SourceLine): string =>
  places.map(({ name, isReady }) => (isReady ? name : `${name} (not ready)`)).join(', ') ||
  '(nowhere)';

const data = ({ data: part }: FleetView): Section =>
  sectionOf('DATA', part, ({ sources, claims }) => {
    const waitingClaims = claims.filter(({ source }) => source === undefined);
    const wait = waitingClaims.length === 0 ? '' : `, ${waitingClaims.length} wanted`;
    return {
      summary: `${sources.length}${wait}`,
      columns: ['SIZE', 'CLAIMS', 'CLUSTERS'],
      rows: [
        ...waitingClaims.map((claim) => [claim.data, '-', claim.claim, `(${claim.reason})`]),
        ...sources.map((source) => [
          source.data,
          source.size === undefined ? '-' : formatBytes(source.size),
          String(source.claims),
          placesOf(source),
        ]),
      ],
      total: waitingClaims.length + sources.length,
      more: 'perigee data',
    };
  });

/** Running flows first, then failed ones, then finished ones. */
const URGENCY = ['Executing', 'Pending', 'Failed'];
const urgencyOf = ({ phase }: FlowReport): number => {
  const at = URGENCY.indexOf(phase);
  return at < 0 ? URGENCY.length : at;
};

const stepNow = ({ steps }: FlowReport): string => {
  const step = ['Failed', 'Executing', 'Pending']
    .map((phase) => steps.find((one) => one.phase === phase))
    .find((one) => one !== undefined);
  if (step === undefined) return '-';
  const { percentage } = step.progress ?? {};
  const share = percentage === undefined ? '' : ` ${percentage}%`;
  return `${step.kind}/${step.name}${share}`;
};

const flows = ({ flows: part }: FleetView): Section =>
  sectionOf('FLOWS', part, (reports) => ({
    summary: String(reports.length),
    columns: ['PHASE', 'STEPS', 'CLUSTERS', 'NOW'],
    rows: reports
      .toSorted((a, b) => urgencyOf(a) - urgencyOf(b))
      .map((flow) => [
        `${flow.namespace}/${flow.name}`,
        flow.phase,
        `${flow.complete}/${flow.steps.length}`,
        [...new Set(flow.steps.flatMap((step) => step.clusters))].sort().join(', ') || '-',
        stepNow(flow),
      ]),
    total: reports.length,
    more: 'perigee flow list -A',
  }));

const moveRow = (move: Move, now: number) => [
  subject(move),
  formatAge(now - Date.parse(move.at)),
  move.change,
  move.message,
];

const moves = ({ moves: part }: FleetView, now: number): Section =>
  sectionOf('MOVED LATELY', part, (lines) => ({
    summary: '',
    columns: ['AGO', 'WHAT', 'WHERE'],
    rows: lines.map((move) => moveRow(move, now)),
    total: lines.length,
    more: 'kubectl get events -A',
  }));

export const viewSections = (view: FleetView, now: number): readonly Section[] => [
  clusters(view),
  heldWork(view, now),
  queues(view),
  data(view),
  flows(view),
  moves(view, now),
];
