import type { Suggestion } from '@perigee/scheduling/suggest/suggestion';

/** What comes first of all that would make work run, by situation; the others are not mended by what is decided here. */
export const FIRST_SUGGESTIONS: {
  readonly [situation: string]: Suggestion['changes'][number]['reason'];
} = {
  'no-policy': 'AddPolicy',
  'policy-for-another-name': 'AddPolicy',
  'policy-for-other-labels': 'LabelWork',
  'policy-for-another-version': 'AddPolicy',
  'policy-for-another-kind': 'AddPolicy',
  'policy-of-another-namespace': 'AddPolicy',
  'wide-policy-for-another-namespace': 'AddPolicy',
  'scheduling-suspended': 'ResumeWork',
  'dispatching-suspended': 'ResumeWork',
  'other-scheduler': 'NameScheduler',
  'queue-missing': 'AddQueue',
  'queue-closed': 'OpenQueue',
  'queue-too-small': 'RaiseQueue',
  'queue-used-up': 'RaiseQueue',
  'data-unknown': 'AddData',
  'data-nowhere-yet': 'AddData',
  'data-elsewhere': 'AddClusterToAffinity',
  'cluster-name-misspelt': 'FixClusterName',
  'label-has-another-value': 'LabelCluster',
  'label-missing': 'LabelCluster',
  'label-not-wanted': 'AddClusterToAffinity',
  excluded: 'AddClusterToAffinity',
  'taint-not-tolerated': 'TolerateTaint',
  'other-taint-tolerated': 'TolerateTaint',
  'too-few-regions': 'AddClusterToAffinity',
  'too-few-clusters': 'LowerMinGroups',
  'too-many-replicas': 'SmallerRequests',
  'pods-larger-than-nodes': 'SmallerRequests',
  'cluster-lost-before': 'AddClusterToAffinity',
};
