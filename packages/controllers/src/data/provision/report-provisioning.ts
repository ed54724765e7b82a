import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { ReasonOf } from '@perigee/api/reasons/condition-reasons';
import { findCondition, setCondition } from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { ignoreNotFound } from '@perigee/kube/errors';
import { shorten } from '@perigee/scheduling/data/describe-data';
import { present } from '@perigee/schema/present';

const FIELD_MANAGER = 'perigee-data-provisioner';

/** Messages include text from provisioners, which may be long. */
const LONGEST_MESSAGE = 1000;

/** The reason why a provisioner delivers no data. */
export interface ProvisioningReport {
  readonly reason: Exclude<ReasonOf<'DataSourceClaim', 'Provisioned'>, 'DataFound'>;
  readonly message: string;
}

const conditionFor = (
  { metadata, status, spec }: DataSourceClaim,
  report: ProvisioningReport | 'turn' | undefined,
) => {
  const { generation } = metadata;
  const generationFields = present({ observedGeneration: generation });
  const before = findCondition(status?.conditions, 'Provisioned');
  if (report === 'turn') {
    // A claim with an error keeps it until the next answer.
    if (before?.status === 'False' && before.observedGeneration === generation) return undefined;
    const message = `waits for its turn with the provisioner of ${spec.system}`;
    return {
      type: 'Provisioned',
      status: 'False',
      reason: 'Asking',
      message,
      ...generationFields,
    } as const;
  }
  if (report !== undefined) {
    const message = shorten(report.message, LONGEST_MESSAGE);
    return {
      type: 'Provisioned',
      status: 'False',
      reason: report.reason,
      message,
      ...generationFields,
    } as const;
  }
  // A claim that never needed a provisioner gets no condition.
  if (before === undefined || before.status === 'True') return undefined;
  const message = 'there is a DataSource';
  return {
    type: 'Provisioned',
    status: 'True',
    reason: 'DataFound',
    message,
    ...generationFields,
  } as const;
};

/** Writes the condition Provisioned of a claim; without a report it is cleared. */
export const reportToClaim = async (
  claim: DataSourceClaim,
  report: ProvisioningReport | 'turn' | undefined,
  { client, clock, signal }: ReconcileContext,
): Promise<void> => {
  const condition = conditionFor(claim, report);
  if (condition === undefined) return;
  const before = claim.status?.conditions;
  const conditions = setCondition(before, condition, clock.now());
  if (conditions === before) return;
  const options = { fieldManager: FIELD_MANAGER, signal };
  await patchStatus(client, DataSourceClaim, claim, { conditions }, options).catch(ignoreNotFound);
};

/** Writes the condition Provisioned of a source, about its refreshes. */
export const reportToSource = async (
  source: DataSource,
  report: {
    readonly status: 'True' | 'False';
    readonly reason: ReasonOf<'DataSource', 'Provisioned'>;
    readonly message: string;
  },
  { client, clock, signal }: ReconcileContext,
): Promise<void> => {
  const before = source.status?.conditions;
  const message = shorten(report.message, LONGEST_MESSAGE);
  const conditions = setCondition(before, { type: 'Provisioned', ...report, message }, clock.now());
  if (conditions === before) return;
  const options = { fieldManager: FIELD_MANAGER, signal };
  await patchStatus(client, DataSource, source, { conditions }, options).catch(ignoreNotFound);
};
