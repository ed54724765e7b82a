import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { HELD_FOR } from '../../data/data-marks.ts';
import type { Template } from '../../placement/binding/desired-binding.ts';
import { DEFAULT_SCHEDULER } from '../../placement/binding/distributed-to.ts';
import type { AnyPolicy } from '../../placement/policy/policy-for.ts';
import type { PlanState } from '../../plan/plan-state.ts';
import { type Change, keyOf } from '../../plan/world.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { policyChange, policyTitle } from './policy-change.ts';
import { workChange } from './work-change.ts';

/** The labels that work lacks of those by which a policy selects its kind. */
const missingLabels = (
  { metadata, spec }: AnyPolicy,
  { apiVersion, kind, metadata: { namespace, labels = {} } }: Template,
): readonly { readonly [key: string]: string }[] => {
  if (metadata.namespace && metadata.namespace !== namespace) return [];
  return spec.resourceSelectors.flatMap((selector) => {
    const { matchLabels = {}, matchExpressions = [] } = selector.labelSelector ?? {};
    const isOther = selector.apiVersion !== apiVersion || selector.kind !== kind || selector.name;
    if (isOther || matchExpressions.length > 0) return [];
    const missing = Object.entries(matchLabels).filter(([key, value]) => labels[key] !== value);
    return missing.length === 0 ? [] : [Object.fromEntries(missing)];
  });
};

const DEFAULTS = {
  priority: 0,
  preemption: 'Never',
  conflictResolution: 'Abort',
  schedulerName: DEFAULT_SCHEDULER,
};

type PolicyManifest = JsonObject & { readonly metadata: JsonObject; readonly spec: JsonObject };

/** The name of the work, or with the first number that makes it free: nobody is to write over a policy of others. */
const freeName = ({ metadata: { namespace, name } }: Template, { policies }: PlanState): string => {
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name}-${number}`;
    if (!policies.has(keyOf({ namespace, name: free }))) return free;
  }
};

const newPolicy = (
  name: string,
  { apiVersion, kind, metadata }: Template,
  spec: JsonObject,
): PolicyManifest => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: metadata.namespace === undefined ? 'ClusterPropagationPolicy' : 'PropagationPolicy',
  metadata: {
    name,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  },
  spec: { resourceSelectors: [{ apiVersion, kind, name: metadata.name }], ...spec },
});

/** So many replicas as the work asks for, where there is room, in as few clusters as can be; the rest everywhere. */
const placementFor = ({ spec }: Template): JsonObject =>
  isJsonObject(spec) && typeof spec.replicas === 'number'
    ? {
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Aggregated',
        },
      }
    : {};

/** As the server stores it. */
const putPolicy = (manifest: PolicyManifest): Change => {
  const { metadata, spec } = manifest;
  const key = metadata.namespace === undefined ? 'clusterpropagationpolicy' : 'propagationpolicy';
  const object = {
    ...manifest,
    metadata: { ...metadata, labels: { [`${key}.karmada.io/permanent-id`]: 'suggested' } },
    spec: { ...DEFAULTS, ...spec },
  };
  return { kind: 'put', of: 'policy', object: object as never };
};

/** Changes that make a policy select unselected work. */
const bySelection = ({ state, template, binding }: StuckWork): readonly Candidate[] => {
  if (template === undefined || binding !== undefined) return [];
  const labelled = [...state.policies.values()].flatMap((policy) =>
    missingLabels(policy, template).map((labels) => {
      const words = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
      const text = `label the work with ${words.join(',')}, so that ${policyTitle(policy)} selects it`;
      return workChange(
        template,
        { metadata: { labels } },
        { reason: 'LabelWork', text, cost: 1.5 },
      );
    }),
  );
  const manifest = newPolicy(freeName(template, state), template, {
    placement: placementFor(template),
  });
  const added: Candidate = {
    reason: 'AddPolicy',
    text: 'write a policy that selects the work',
    cost: 2.5,
    change: putPolicy(manifest),
    manifest,
  };
  return [...labelled, added];
};

/** Changes that resume suspended work. */
const bySuspension = ({ binding, key, policy }: StuckWork): readonly Candidate[] => {
  const { scheduling, dispatching } = binding?.spec.suspension ?? {};
  const isByUser = scheduling === true && binding?.metadata.annotations?.[HELD_FOR] === undefined;
  return [
    ...(isByUser && binding !== undefined && key !== undefined
      ? [
          {
            reason: 'ResumeWork',
            text: 'take the suspension of its scheduling off its binding',
            cost: 1,
            target: {
              apiVersion: 'work.karmada.io/v1alpha2',
              kind: binding.metadata.namespace ? 'ResourceBinding' : 'ClusterResourceBinding',
              ...(binding.metadata.namespace ? { namespace: binding.metadata.namespace } : {}),
              name: binding.metadata.name,
            },
            patch: { spec: { suspension: { scheduling: null } } },
            change: { kind: 'resume', binding: key },
          } as const,
        ]
      : []),
    ...(dispatching === true && policy !== undefined
      ? [
          policyChange(
            policy,
            { spec: { suspension: { dispatching: null } } },
            {
              reason: 'ResumeWork',
              text: `take the suspension of dispatching out of ${policyTitle(policy)}`,
              cost: 1,
            },
          ),
        ]
      : []),
  ];
};

/** The scheduler of a policy is fixed, so that another policy has to take the work over. */
const byScheduler = ({ state, policy, template }: StuckWork): readonly Candidate[] => {
  const name = policy?.spec.schedulerName ?? DEFAULT_SCHEDULER;
  if (policy === undefined || template === undefined || name === DEFAULT_SCHEDULER) return [];
  if (state.world.schedulers.includes(name)) return [];
  const { placement = {}, priority = 0 } = policy.spec;
  const spec = { placement, priority: priority + 1, preemption: 'Always' } as never;
  const manifest = newPolicy(freeName(template, state), template, spec);
  const text = `let another policy take the work over from ${policyTitle(policy)}, for the scheduler ${DEFAULT_SCHEDULER}: ${name} does not run`;
  return [{ reason: 'NameScheduler', text, cost: 2, change: putPolicy(manifest), manifest }];
};

/** Changes that make a policy propagate the work, and a scheduler decide about it. */
export const byPolicy = (work: StuckWork): readonly Candidate[] => [
  ...bySelection(work),
  ...bySuspension(work),
  ...byScheduler(work),
];
