import type { ClaimCopy, CopiedInAll } from '@perigee/api/kinds/data/claim-copy';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { type NewCondition, setCondition } from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';

export const FIELD_MANAGER = 'perigee-data-copies';

interface CopyReport {
  readonly condition?: NewCondition<'DataSourceClaim'>;
  readonly copy?: ClaimCopy | null;
  readonly copied?: CopiedInAll;
}

/** Writes the state of a claim's copy to its status; each new phase is an Event. */
export const writeCopyReport = async (
  claim: DataSourceClaim,
  report: CopyReport,
  context: ReconcileContext,
): Promise<void> => {
  const { client, clock, signal, events } = context;
  const { condition, copy, copied } = report;
  const before = claim.status ?? {};
  const conditionsBefore = before.conditions ?? [];
  const next = {
    ...present({ copy, copied }),
    conditions:
      condition === undefined
        ? conditionsBefore.filter(({ type }) => type !== 'Copied')
        : setCondition(conditionsBefore, condition, clock.now()),
  };
  const was = { ...before, conditions: conditionsBefore };
  if (sameJson(was as never, { ...was, ...next } as never)) return;
  const options = { fieldManager: FIELD_MANAGER, signal };
  await patchStatus(client, DataSourceClaim, claim, next, options);
  const phase = copy?.phase;
  if (condition === undefined || phase === undefined || phase === before.copy?.phase) return;
  if (phase === 'Complete') events.normal(claim, 'DataCopied', condition.message);
  if (phase === 'Failed') events.warning(claim, 'DataCopyFailed', condition.message);
  if (phase === 'Planned') events.normal(claim, 'DataCopyStarted', condition.message);
};
