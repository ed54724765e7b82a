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
    const copied = findCondition(status?.conditions, 'Copied');
    if (copied === undefined || QUIET.has(copied.reason)) return [];
    const { operation, phase } = status?.copy ?? {};
    return [
      {
        stage: 'data',
        reason: copied.reason as CopyReason,
        severity: 'info',
        by: 'claim',
        message: `claim ${metadata.name}: ${copied.message}`,
        since: copied.lastTransitionTime,
        details: {
          claim: metadata.name,
          ...(operation === undefined ? {} : { operation, phase }),
        },
      },
    ];
  });
