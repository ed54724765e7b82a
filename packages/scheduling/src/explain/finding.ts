import type { ReasonOf } from '@perigee/api/reasons/condition-reasons';
import type { FindingReason } from '@perigee/api/reasons/finding-reasons';

/** The stages on the way from a template to its pods, in that order. */
const STAGES = [
  'template',
  'policy',
  'data',
  'queue',
  'suspension',
  'scheduler',
  'placement',
  'work',
  'cluster',
  'member',
  'pods',
] as const;

export type Stage = (typeof STAGES)[number];

/** `holds`: it blocks the work. `degrades`: the work runs, impaired. `info`: for information. */
export type Severity = 'holds' | 'degrades' | 'info';

/** The party that can unblock the work. */
export type Holder =
  | 'user'
  | 'policy'
  | 'claim'
  | 'queue'
  | 'scheduler'
  | 'control plane'
  | 'cluster'
  | 'member';

/** Reasons of conditions that findings repeat verbatim, so that the same cause has one name everywhere. */
export type StageReason =
  | FindingReason
  | ReasonOf<'Binding', 'Scheduled'>
  | ReasonOf<'Binding', 'Admitted'>
  | ReasonOf<'Binding', 'WorksWritten'>
  | ReasonOf<'Binding', 'Gang'>
  | ReasonOf<'DataSourceClaim', 'Copied'>;

/** One fact about work. */
export interface Finding {
  readonly stage: Stage;
  readonly reason: StageReason;
  readonly severity: Severity;
  readonly by: Holder;
  /** One sentence, without a full stop. */
  readonly message: string;
  /** The member concerned; absent for the work as a whole. */
  readonly cluster?: string;
  readonly since?: string;
  /** Structured facts for programs. */
  readonly details?: { readonly [name: string]: unknown };
}

/** Order by stage; within a stage, blocking findings before degrading ones. */
export const byStage = (a: Finding, b: Finding): number => {
  const weight = ({ severity }: Finding) => ['holds', 'degrades', 'info'].indexOf(severity);
  return STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage) || weight(a) - weight(b);
};
