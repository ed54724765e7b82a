import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import type { Situation } from '../situation.ts';
import { addClusterPolicy, addDeployment, addPolicy, on } from '../work-objects.ts';

const byName = (name: string) => [{ apiVersion: 'apps/v1', kind: 'Deployment', name }];

/** From the template to its policy. */
export const POLICIES: readonly Situation[] = [
  {
    name: 'no-such-object',
    make: (world) => addPolicy(world, on('member1')),
    reason: 'TemplateMissing',
    summary: /^there is no Deployment web in the namespace no-such-object$/,
    mend: {
      none: 'only whoever wants it knows what it is to be',
      remedy: (world) => addDeployment(world),
    },
  },
  {
    name: 'no-policy',
    make: (world) => addDeployment(world),
    reason: 'NoPolicy',
    summary: /^no propagation policy selects it/,
    mend: { first: 'AddPolicy' },
  },
  {
    name: 'policy-for-another-name',
    make: async (world) => {
      await addDeployment(world);
      const spec = { resourceSelectors: byName('wep'), placement: on('member1') };
      await world.create(PropagationPolicy, 'web', { spec });
    },
    reason: 'NoPolicy',
    summary:
      /PropagationPolicy policy-for-another-name\/web would if its name were not `wep` but `web`/,
    mend: { first: 'FixSelector' },
  },
  {
    name: 'policy-for-other-labels',
    make: async (world) => {
      await addDeployment(world, { labels: { tier: 'silver' } });
      const labelSelector = { matchLabels: { tier: 'gold' } };
      const resourceSelectors = [{ apiVersion: 'apps/v1', kind: 'Deployment', labelSelector }];
      await world.create(PropagationPolicy, 'web', {
        spec: { resourceSelectors, placement: on('member1') },
      });
    },
    reason: 'NoPolicy',
    summary: /would if its label tier were not `gold` but `silver`/,
    mend: { first: 'LabelWork' },
  },
  {
    name: 'policy-for-another-version',
    make: async (world) => {
      await addDeployment(world);
      const resourceSelectors = [{ apiVersion: 'apps/v2', kind: 'Deployment', name: 'web' }];
      await world.create(PropagationPolicy, 'web', {
        spec: { resourceSelectors, placement: on('member1') },
      });
    },
    reason: 'NoPolicy',
    summary: /would if its apiVersion were not `apps\/v2` but `apps\/v1`/,
    mend: { first: 'FixSelector' },
  },
  {
    name: 'policy-for-another-kind',
    make: async (world) => {
      await addDeployment(world);
      const resourceSelectors = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' }];
      await world.create(PropagationPolicy, 'web', {
        spec: { resourceSelectors, placement: on('member1') },
      });
    },
    reason: 'NoPolicy',
    summary: /would if its kind were not `StatefulSet` but `Deployment`/,
    mend: { first: 'FixSelector' },
  },
  {
    name: 'policy-of-another-namespace',
    make: async (world) => {
      await addDeployment(world, {}, 'elsewhere');
      await world.client.create(Namespace, { metadata: { name: 'policy-lives-here' } });
      await world.client.create(PropagationPolicy, {
        metadata: { namespace: 'policy-lives-here', name: 'elsewhere' },
        spec: { resourceSelectors: byName('elsewhere'), placement: on('member1') },
      });
    },
    target: 'deployment/elsewhere',
    reason: 'NoPolicy',
    summary:
      /PropagationPolicy policy-lives-here\/elsewhere would, and selects in its own namespace only/,
    mend: { first: 'AddPolicy' },
  },
  {
    name: 'wide-policy-for-another-namespace',
    make: async (world) => {
      await addDeployment(world, {}, 'apart');
      const resourceSelectors = [{ ...byName('apart')[0], namespace: 'nowhere' }];
      await addClusterPolicy(world, 'apart', { resourceSelectors, placement: on('member1') });
    },
    target: 'deployment/apart',
    reason: 'NoPolicy',
    summary: /ClusterPropagationPolicy apart would if its namespace were not `nowhere` but/,
    mend: { first: 'FixSelector' },
  },
  {
    name: 'lazy-policy-came-later',
    make: async (world) => {
      await addDeployment(world);
      await world.settle(3000);
      await addPolicy(world, on('member1'), { activationPreference: 'Lazy' });
    },
    reason: 'LazyPolicy',
    summary: /is lazy and came after it: it takes effect when the object changes$/,
    mend: { first: 'TouchWork' },
  },
  {
    name: 'override-missing',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on('member1'), { dependentOverrides: ['settings'] });
    },
    reason: 'OverrideMissing',
    summary: /waits for override policies that do not exist: settings$/,
    mend: { first: 'FixDependentOverrides' },
  },
  {
    name: 'priority-class-missing',
    make: async (world) => {
      await addDeployment(world);
      const schedulePriority = {
        priorityClassSource: 'KubePriorityClass',
        priorityClassName: 'urgent-work',
      };
      await addPolicy(world, on('member1'), { schedulePriority });
    },
    reason: 'PriorityClassMissing',
    summary: /names the PriorityClass urgent-work, which does not exist$/,
    mend: { first: 'FixPriorityClass' },
  },
  {
    name: 'karmada-reserved',
    make: async (world) => {
      await addDeployment(world);
      await addPolicy(world, on('member1'));
    },
    reason: 'ReservedNamespace',
    summary: /the namespace karmada-reserved is the control plane's own/,
    mend: { none: 'nothing in that namespace is propagated, and no object can go to another one' },
  },
  {
    name: 'claimed-by-others',
    make: async (world) => {
      const labels = { 'resourcetemplate.karmada.io/claimed-by': 'somebody' };
      await addDeployment(world, { labels });
      await addPolicy(world, on('member1'));
    },
    reason: 'OwnedByOthers',
    summary: /^it says that somebody else looks after it/,
    mend: { first: 'ReleaseWork' },
  },
  {
    name: 'being-deleted',
    make: async (world) => {
      await addDeployment(world, { finalizers: ['example.com/kept'] });
      await world.remove(Deployment, 'web');
    },
    reason: 'TemplateGoing',
    summary: /^it is being deleted, and its finalizers keep it: example\.com\/kept$/,
    mend: { none: 'somebody has deleted it, and it is to go' },
  },
];
