import type { JsonObject } from '@perigee/schema/json';
import { mapAt, numberAt, objectAt, textAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import { checkDnsLabel } from '@perigee/schema/values/names';
import type { Strategy } from '../../resource/strategy.ts';
import { podWarnings } from './pod-warnings.ts';
import { serviceWarnings } from './service-warnings.ts';

type Warnings = NonNullable<Strategy['warnings']>;

const generationOf = (object: JsonObject): number | undefined =>
  numberAt(objectAt(object, 'metadata'), 'generation');

const nameWarnings = (object: JsonObject, used: string): readonly string[] => {
  const problems = checkDnsLabel(textAt(objectAt(object, 'metadata'), 'name'));
  return problems.length === 0
    ? []
    : [
        `metadata.name: this is used in ${used}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
      ];
};

/** True if pods are made from the template has to do with whether the specification has changed. */
const templated =
  (isNamed: boolean, ...path: readonly string[]): Warnings =>
  (object, old) => {
    if (old !== undefined && generationOf(object) === generationOf(old)) return [];
    const template = objectAt(object, ...path, 'template');
    return [
      ...(isNamed && old === undefined ? nameWarnings(object, 'Pod names and hostnames') : []),
      ...podWarnings(template, `${path.join('.')}.template.`),
    ];
  };

const daemonSet: Warnings = (object, old, subresource) => {
  const { template } = objectAt(object, 'spec');
  const isSame = old !== undefined && sameJson(template, objectAt(old, 'spec').template);
  return isSame ? [] : templated(false, 'spec')(object, old, subresource);
};

/** Of these kube-apiserver checks the template that is replaced. */
const replicationController: Warnings = (object, old, subresource) => {
  const warnings = templated(true, 'spec')(object, old, subresource);
  if (old === undefined || generationOf(object) === generationOf(old)) return warnings;
  return podWarnings(objectAt(old, 'spec', 'template'), 'spec.template.');
};

const CLASS = 'kubernetes.io/ingress.class';

const KINDS: { readonly [typeName: string]: Warnings } = {
  'core.v1.Pod': (pod, old) =>
    old === undefined ? [...nameWarnings(pod, "the Pod's hostname"), ...podWarnings(pod, '')] : [],
  'core.v1.Service': serviceWarnings,
  'core.v1.ReplicationController': replicationController,
  'apps.v1.Deployment': templated(true, 'spec'),
  'apps.v1.ReplicaSet': templated(true, 'spec'),
  'apps.v1.StatefulSet': templated(false, 'spec'),
  'apps.v1.DaemonSet': daemonSet,
  'batch.v1.Job': templated(true, 'spec'),
  'batch.v1.CronJob': templated(true, 'spec', 'jobTemplate', 'spec'),
  'networking.v1.Ingress': (ingress, old) =>
    old === undefined && mapAt(ingress, 'metadata', 'annotations')[CLASS] !== undefined
      ? [`annotation "${CLASS}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
};

/** Warnings of kube-apiserver for writes of objects of a built-in type; writes of a status have none. */
export const warningsOf = (typeName: string): Warnings | undefined => {
  const warn = KINDS[typeName];
  if (warn === undefined) return undefined;
  return (object, old, subresource) =>
    subresource === undefined || subresource === 'scale' ? warn(object, old, subresource) : [];
};
