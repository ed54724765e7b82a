import type {
  DataSourceClaim,
  DataSourceClaimStatus,
} from '@perigee/api/kinds/data/data-source-claim';
import { type NewCondition, setCondition } from '@perigee/api/values/conditions';
import { labelSelectorOf } from '@perigee/api/values/label-selector';
import { ParseError } from '@perigee/schema/errors';
import { present } from '@perigee/schema/present';
import type { SourceChoice } from './choose-source.ts';
import { shorten, sourceData } from './describe-data.ts';

const LONGEST_PROBLEM = 1000;

/** Parse error of the workload selector; undefined if it is valid. */
const selectorProblem = ({ spec }: DataSourceClaim): string | undefined => {
  try {
    labelSelectorOf(spec.workloadSelector);
    return undefined;
  } catch (error) {
    if (error instanceof ParseError) return `spec.workloadSelector: ${error.message}`;
    throw error;
  }
};

const conditionOf = (
  claim: DataSourceClaim,
  choice: SourceChoice,
): NewCondition<'DataSourceClaim'> => {
  const { generation } = claim.metadata;
  const observedFields = present({ observedGeneration: generation });
  const problem = selectorProblem(claim);
  if (problem !== undefined) {
    return {
      type: 'Bound',
      status: 'False',
      reason: 'SelectorUnreadable',
      message: shorten(problem, LONGEST_PROBLEM),
      ...observedFields,
    };
  }
  if (choice.source === undefined) {
    const { message } = choice;
    return {
      type: 'Bound',
      status: 'False',
      reason: 'NoMatchingSource',
      message,
      ...observedFields,
    };
  }
  const message = `bound to the DataSource ${choice.source.metadata.name}: ${sourceData(choice.source)}`;
  return { type: 'Bound', status: 'True', reason: 'BindingSuccessful', message, ...observedFields };
};

/** The status of a claim with this choice. */
export const claimStatus = (
  claim: DataSourceClaim,
  choice: SourceChoice,
  nowMs: number,
): DataSourceClaimStatus => {
  const condition = conditionOf(claim, choice);
  const { copy, copied } = claim.status ?? {};
  const conditions = setCondition(claim.status?.conditions, condition, nowMs);
  const fields = { ...present({ copy, copied }), conditions };
  return choice.source !== undefined && condition.status === 'True'
    ? { phase: 'Bound', boundDataSource: choice.source.metadata.name, ...fields }
    : { phase: 'Pending', ...fields };
};
