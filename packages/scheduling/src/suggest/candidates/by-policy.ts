import type { JsonObject } from '@perigee/api/json';
import { HELD_FOR } from '../../data/data-marks.ts';
import type { Template } from '../../placement/binding/desired-binding.ts';
import { DEFAULT_SCHEDULER } from '../../placement/binding/distributed-to.ts';
import type { AnyPolicy } from '../../placement/policy/policy-for.ts';
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

const newPolicy = ({ apiVersion, kind, metadata }: Template): JsonObject => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: metadata.namespace === undefined ? 'ClusterPropagationPolicy' : 'PropagationPolicy',
  metadata: {
    name: metadata.name,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  },
  spec: { resourceSelectors: [{ apiVersion, kind, name: metadata.name }], placement: {} },
});

const DEFAULTS = {
  priority: 0,
  preemption: 'Never',
  conflictResolution: 'Abort',
  schedulerName: DEFAULT_SCHEDULER,
};

/** What would have a policy select work that none selects. */
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
  const manifest = newPolicy(template);
  const { metadata, spec } = manifest as {
    readonly metadata: JsonObject;
    readonly spec: JsonObject;
  };
  const key = metadata.namespace === undefined ? 'clusterpropagationpolicy' : 'propagationpolicy';
  const object = {
    ...manifest,
    metadata: { ...metadata, labels: { [`${key}.karmada.io/permanent-id`]: 'suggested' } },
    spec: { ...DEFAULTS, ...spec },
  };
  const added: Candidate = {
    reason: 'AddPolicy',
    text: 'write a policy that selects the work',
    cost: 2.5,
    change: { kind: 'put', of: 'policy', object: object as never },
    manifest,
  };
  return [...labelled, added];
};

/** What would resume work that somebody suspended. */
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

const byScheduler = ({ state, policy }: StuckWork): readonly Candidate[] => {
  const name = policy?.spec.schedulerName ?? DEFAULT_SCHEDULER;
  if (policy === undefined || name === DEFAULT_SCHEDULER) return [];
  if (state.world.schedulers.includes(name)) return [];
  const patch = { spec: { schedulerName: DEFAULT_SCHEDULER } };
  const text = `name the scheduler ${DEFAULT_SCHEDULER} instead of ${name}, which does not run, in ${policyTitle(policy)}`;
  return [policyChange(policy, patch, { reason: 'NameScheduler', text, cost: 2 })];
};

/** What would let a policy propagate work, and a scheduler decide about it. */
export const byPolicy = (work: StuckWork): readonly Candidate[] => [
  ...bySelection(work),
  ...bySuspension(work),
  ...byScheduler(work),
];
