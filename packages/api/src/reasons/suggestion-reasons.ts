import type { Reasons } from './reason.ts';

const SUGGESTION = 'perigee explain: suggestions[].changes[].reason';

/** Kinds of changes that would make work run. */
export const suggestionReasons = {
  FixClusterName: {
    of: SUGGESTION,
    means: 'The policy names a cluster that does not exist, and one of nearly that name does.',
  },
  AddClusterToAffinity: {
    of: SUGGESTION,
    means: 'The policy would have to name one more cluster.',
  },
  LabelCluster: {
    of: SUGGESTION,
    means: 'A cluster would have to have the labels that the policy asks for.',
  },
  LabelWork: {
    of: SUGGESTION,
    means: 'The work would have to have the labels by which a policy selects.',
  },
  FixSelector: {
    of: SUGGESTION,
    means:
      'A policy misses the work by one word in what it selects, and would have to say another.',
  },
  FixDependentOverrides: {
    of: SUGGESTION,
    means: 'The policy waits for an override policy that does not exist.',
  },
  FixPriorityClass: {
    of: SUGGESTION,
    means: 'The policy names a PriorityClass that does not exist.',
  },
  TouchWork: {
    of: SUGGESTION,
    means: 'A lazy policy waits until the work changes: any change of it will do.',
  },
  ReleaseWork: {
    of: SUGGESTION,
    means: 'The work says that somebody else looks after it, and would have to say so no more.',
  },
  FixAffinity: {
    of: SUGGESTION,
    means: 'The policy would have to ask for another label, provider, region or zone of clusters.',
  },
  LeaveGroup: {
    of: SUGGESTION,
    means: 'The work would have to leave the group of work that it keeps with, or away from.',
  },
  FixNodeSelector: {
    of: SUGGESTION,
    means: 'The pods ask for nodes that no cluster has, and would have to ask for others.',
  },
  AvoidCluster: {
    of: SUGGESTION,
    means:
      'The policy would have to leave out a cluster that does not serve the work, or use another.',
  },
  TakeOver: {
    of: SUGGESTION,
    means: 'The work would have to take over an object of the same name that a member has already.',
  },
  PropagateDependencies: {
    of: SUGGESTION,
    means: 'What the pods need would have to be sent to the members along with the work.',
  },
  PropagateNamespace: {
    of: SUGGESTION,
    means: 'The namespace is kept out of the members, and would have to be let in.',
  },
  FixOverride: {
    of: SUGGESTION,
    means: 'An override policy would have to change something else, or one thing less.',
  },
  MoreReplicas: { of: SUGGESTION, means: 'No replicas are asked for.' },
  FixQueueName: {
    of: SUGGESTION,
    means: 'The work names a queue that does not exist, and one of nearly that name does.',
  },
  FixDataName: {
    of: SUGGESTION,
    means: 'The claim names data that nobody has registered, and some of nearly that name is.',
  },
  AddPolicy: { of: SUGGESTION, means: 'No policy selects the work: there would have to be one.' },
  TolerateTaint: {
    of: SUGGESTION,
    means: 'The policy would have to tolerate a taint of a cluster.',
  },
  RemoveTaint: { of: SUGGESTION, means: 'A taint would have to be taken off a cluster.' },
  RaiseMaxGroups: {
    of: SUGGESTION,
    means: 'The spread constraint would have to allow more clusters or groups.',
  },
  LowerMinGroups: {
    of: SUGGESTION,
    means: 'The spread constraint would have to ask for fewer clusters or groups.',
  },
  FewerReplicas: { of: SUGGESTION, means: 'So many replicas would fit.' },
  SmallerRequests: { of: SUGGESTION, means: 'Replicas that ask for less would fit.' },
  FreeRoom: { of: SUGGESTION, means: 'Other work in a cluster would have to make room.' },
  ServeApi: {
    of: SUGGESTION,
    means: 'A cluster would have to serve the kind: install its CustomResourceDefinition there.',
  },
  AddData: { of: SUGGESTION, means: 'The data would have to be in a cluster where it is not.' },
  RaiseQueue: { of: SUGGESTION, means: 'The capability of a queue would have to be larger.' },
  OpenQueue: { of: SUGGESTION, means: 'A queue that is closed would have to be opened.' },
  AddQueue: { of: SUGGESTION, means: 'The queue that the work names would have to exist.' },
  ResumeWork: {
    of: SUGGESTION,
    means: 'Somebody suspended its scheduling or its dispatching, and would have to resume it.',
  },
  NameScheduler: {
    of: SUGGESTION,
    means: 'The policy names a scheduler that does not run, and would have to name another.',
  },
} as const satisfies Reasons;

export type SuggestionReason = keyof typeof suggestionReasons;
