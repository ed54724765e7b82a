import { nearNames } from '@perigee/api/values/near-names';
import { HELD_FOR } from '../../data/data-marks.ts';
import { DEFAULT_SCHEDULER } from '../../placement/binding/distributed-to.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { byPrerequisite } from './by-prerequisite.ts';
import { bySelection } from './by-selection.ts';
import { newPolicy, putPolicy } from './new-policy.ts';
import { policyChange, policyTitle } from './policy-change.ts';

/** Changes that resume suspended work. */
const bySuspension = ({ binding, key, policy }: StuckWork): readonly Candidate[] => {
  const { scheduling, dispatching, dispatchingOnClusters } = binding?.spec.suspension ?? {};
  const heldClusters = dispatchingOnClusters?.clusterNames ?? [];
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
    ...(heldClusters.length > 0 && policy !== undefined
      ? [
          policyChange(
            policy,
            { spec: { suspension: { dispatchingOnClusters: null } } },
            {
              reason: 'ResumeWork',
              text: `take the suspension of dispatching to ${heldClusters.join(', ')} out of ${policyTitle(policy)}`,
              cost: 1,
            },
          ),
        ]
      : []),
  ];
};

/** The scheduler of a policy is immutable, so another policy has to take over. */
const byScheduler = ({ state, policy, template }: StuckWork): readonly Candidate[] => {
  const name = policy?.spec.schedulerName ?? DEFAULT_SCHEDULER;
  if (policy === undefined || template === undefined || name === DEFAULT_SCHEDULER) return [];
  if (state.world.schedulers.includes(name)) return [];
  const { placement = {}, priority = 0 } = policy.spec;
  const [schedulerName = DEFAULT_SCHEDULER] = nearNames(name, state.world.schedulers);
  const scheduler = schedulerName === DEFAULT_SCHEDULER ? {} : { schedulerName };
  const spec = { placement, priority: priority + 1, preemption: 'Always', ...scheduler } as never;
  const manifest = newPolicy(state, template, spec);
  const text = `let another policy take the work over from ${policyTitle(policy)}, for the scheduler ${schedulerName}: ${name} does not run`;
  return [{ reason: 'NameScheduler', text, cost: 2, change: putPolicy(manifest), manifest }];
};

/** Candidates that make a policy propagate the work, and a scheduler decide about it. */
export const byPolicy = (work: StuckWork): readonly Candidate[] => [
  ...bySelection(work),
  ...byPrerequisite(work),
  ...bySuspension(work),
  ...byScheduler(work),
];
