import type { ReasonOf } from '@perigee/api/reasons/condition-reasons';
import { findCondition } from '@perigee/api/values/conditions';
import type { Finding } from '../finding.ts';
import { read, type WorkSnapshot } from '../snapshot.ts';

type CopyReason = ReasonOf<'DataSourceClaim', 'Copied'>;

/** Reasons that need no action. */
const QUIET: ReadonlySet<string> = new Set<CopyReason>(['NotNeeded', 'NothingWaits', 'DataCopied']);

/** The state of data copies for claims of waiting work. */
export const copyStage = (snapshot: WorkSnapshot): readonly Finding[] =>
  read(snapshot.claims, []).flatMap(({ metadata, status }): readonly Finding[] => {
    const copiedCondition = findCondition(status?.conditions, 'Copied');
    if (copiedCondition === undefined || QUIET.has(copiedCondition.reason)) return [];
    const { operation, phase } = status?.copy ?? {};
    return [
      {
        stage: 'data',
        reason: copiedCondition.reason as CopyReason,
        severity: 'info',
        by: 'claim',
        message: `claim ${metadata.name}: ${copiedCondition.message}`,
        since: copiedCondition.lastTransitionTime,
        details: {
          claim: metadata.name,
          ...(operation === undefined ? {} : { operation, phase }),
        },
      },
    ];
  });
