import type { JsonObject } from '@perigee/api/json';
import {
  parseResourceList,
  type ResourceList,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import { objectIn, objectsIn, textIn } from '../../interpreter/fields.ts';

/** What is counted of a node. */
export interface NodeFacts {
  readonly isReady: boolean;
  readonly allocatable: ResourceList;
}

export const nodeFacts = (node: JsonObject): NodeFacts => {
  const ready = objectsIn(node, 'status', 'conditions').find(({ type }) => type === 'Ready');
  return {
    isReady: textIn(ready ?? {}, 'status') === 'True',
    allocatable: parseResourceList(objectIn(node, 'status', 'allocatable') as WrittenResourceList),
  };
};
