import {
  atomic,
  int32,
  int64,
  list,
  listMap,
  map,
  object,
  oneOf,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { node, optional } from '@perigee/schema/structural/schema';
import type { Condition } from '../meta/condition.ts';
import type { ConditionedKind, ConditionOf } from '../reasons/condition-reasons.ts';

/** Schema pieces that many kinds share. */

const condition = () =>
  object('One observation about the object.', {
    type: string('What is observed, in CamelCase.', { maxLength: 316, minLength: 1 }),
    status: oneOf('Whether the observation holds.', ['True', 'False', 'Unknown']),
    reason: string('A word for the cause of the last change, for programs.', { maxLength: 1024 }),
    message: string('A sentence about the last change, for people.', { maxLength: 32768 }),
    lastTransitionTime: time('When the status last changed.'),
    observedGeneration: optional(
      int64('The generation of the spec that this observation is about.', { minimum: 0 }),
    ),
  });

type ListedCondition<K extends ConditionedKind> = [K] extends [never] ? Condition : ConditionOf<K>;

/** Controllers can write only what the list of the kind has; the server takes any, as others may write too. */
export const conditions = <K extends ConditionedKind = never>(description: string) =>
  listMap(description, ['type'], node<ListedCondition<K>, Condition>(condition().openapi));

export const labelSelector = (description: string) =>
  atomic(
    object(description, {
      matchLabels: optional(
        map('Labels that must be present with these values.', string('The value.')),
      ),
      matchExpressions: optional(
        list(
          'Conditions on labels, all of which must hold.',
          object('A condition on one label.', {
            key: string('The label.'),
            operator: oneOf('How the label relates to the values.', [
              'In',
              'NotIn',
              'Exists',
              'DoesNotExist',
            ]),
            values: optional(list('The values, for In and NotIn.', string('A value.'))),
          }),
        ),
      ),
    }),
  );

export const objectReference = (description: string) =>
  object(description, {
    apiVersion: optional(string('The API version of the object.')),
    kind: optional(string('The kind of the object.')),
    namespace: optional(string('The namespace of the object, if it has one.')),
    name: optional(string('The name of the object.')),
    uid: optional(string('The unique id of the object.')),
    resourceVersion: optional(string('The version of the object that is meant.')),
    fieldPath: optional(string('The part of the object that is meant, if not all of it.')),
  });

export const observedGeneration = () =>
  int64('The generation of the spec that this status is about.', { minimum: 0 });

export const replicas = (description: string) => int32(description, { minimum: 0 });
