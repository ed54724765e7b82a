import { InvalidObjectError, notSupported } from '@perigee/api/errors';
import { isJsonObject, type JsonValue } from '@perigee/api/json';
import {
  type PodGroupLevelRule,
  parsePodGroupLevelRules,
} from '@perigee/api/kinds/groups/pod-group-level-rules';

/** Which owner a group gets when no rule matches: the one that made the pod, or the one that made everything. */
export type OwnerWithoutRule = 'direct' | 'root';

/** Which owners of pods get the groups. */
export interface GroupLevels {
  readonly rules: readonly PodGroupLevelRule[];
  readonly withoutRule: OwnerWithoutRule;
}

const WITHOUT_RULE = 'podgroup-level-without-rule';
const CHOICES: readonly OwnerWithoutRule[] = ['direct', 'root'];

/** For clusters that say nothing. */
export const DEFAULT_LEVELS: GroupLevels = {
  rules: [
    { apiVersion: 'apps/v1', kind: 'deployment', adjustLevel: 0 },
    { apiVersion: 'batch/v1', kind: 'job', adjustLevel: 0 },
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'workflow', adjustLevel: -1 },
  ],
  withoutRule: 'direct',
};

/**
 * Reads the parsed text of `volcano-controller.conf`. What it leaves out is as in clusters that say
 * nothing. Throws `InvalidObjectError` that names every wrong field.
 */
export const parseGroupLevels = (conf: JsonValue | undefined): GroupLevels => {
  const rules = parsePodGroupLevelRules(conf) ?? DEFAULT_LEVELS.rules;
  const said = isJsonObject(conf) ? (conf[WITHOUT_RULE] ?? DEFAULT_LEVELS.withoutRule) : undefined;
  if (said === undefined) return { ...DEFAULT_LEVELS, rules };
  const withoutRule = CHOICES.find((choice) => choice === said);
  if (withoutRule !== undefined) return { rules, withoutRule };
  throw new InvalidObjectError([notSupported(WITHOUT_RULE, said, CHOICES)]);
};
