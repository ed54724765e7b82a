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

/** `holds`: it does not run for this. `degrades`: it runs worse for this. `info`: good to know. */
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

/** Words of conditions that are told as they are, so that the same thing has the same name everywhere. */
export type ToldReason =
  | FindingReason
  | ReasonOf<'Binding', 'Scheduled'>
  | ReasonOf<'Binding', 'Admitted'>
  | ReasonOf<'Binding', 'WorksWritten'>
  | ReasonOf<'Binding', 'Gang'>
  | ReasonOf<'DataSourceClaim', 'Copied'>;

/** One thing that was found out about work. */
export interface Finding {
  readonly stage: Stage;
  readonly reason: ToldReason;
  readonly severity: Severity;
  readonly by: Holder;
  /** One sentence, without a full stop. */
  readonly message: string;
  /** The member that it is about; absent for the work as a whole. */
  readonly cluster?: string;
  readonly since?: string;
  /** Structured facts for programs. */
  readonly details?: { readonly [name: string]: unknown };
}

/** By stage; of one stage, what holds work back before what degrades it. */
export const byStage = (a: Finding, b: Finding): number => {
  const weight = ({ severity }: Finding) => ['holds', 'degrades', 'info'].indexOf(severity);
  return STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage) || weight(a) - weight(b);
};
