import type { KubeObject } from '@perigee/api/meta/object-meta';
import {
  type LabelSelectorSpec,
  labelSelectorOf,
  matchesLabels,
} from '@perigee/api/values/label-selector';
import { controllerOf } from '@perigee/api/values/owner-references';

/** Objects that an owner has, should adopt, and should release. */
export interface SortedByOwner<T> {
  readonly owned: readonly T[];
  readonly adopt: readonly T[];
  readonly release: readonly T[];
}

/** Sorts objects by their labels and their controller. */
export const sortByOwner = <T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelectorSpec,
  candidates: readonly T[],
): SortedByOwner<T> => {
  const labelSelector = labelSelectorOf(selector);
  const isEnding = owner.metadata.deletionTimestamp !== undefined;
  const owned: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  for (const object of candidates) {
    const controller = controllerOf(object);
    const isMatch = matchesLabels(labelSelector, object.metadata.labels);
    const mayChange = !isEnding && object.metadata.deletionTimestamp === undefined;
    if (controller === undefined) {
      if (isMatch && mayChange) adopt.push(object);
    } else if (controller.uid === owner.metadata.uid) {
      if (isMatch) owned.push(object);
      else if (!isEnding) release.push(object);
    }
  }
  return { owned, adopt, release };
};
