import type { JsonObject } from '@perigee/api/json';
import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import type {
  Component,
  ReplicaRequirements,
} from '@perigee/api/kinds/placement/replica-requirements';
import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';

export type Health = 'Healthy' | 'Unhealthy' | 'Unknown';

/** How many replicas an object wants, and what one of them needs. */
export interface ReplicaDemand {
  readonly replicas: number;
  readonly requirements?: ReplicaRequirements;
}

/** Something that an object cannot run without: one by name, or all that a selector selects. */
export interface Dependency {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: LabelSelectorSpec;
}

/**
 * What is known about a kind of workload. All of it is pure, and each part may be absent: then the kind has
 * no replicas, its status is taken as it is, its health is unknown, and so on.
 */
export interface KindInterpreter {
  readonly apiVersion: string;
  readonly kind: string;
  readonly demand?: (object: JsonObject) => ReplicaDemand;
  /** For work of several kinds of pods; it then goes before `demand`. */
  readonly components?: (object: JsonObject) => readonly Component[];
  /** The object with so many replicas. */
  readonly revise?: (object: JsonObject, replicas: number) => JsonObject;
  /** What the member cluster itself decides and the control plane must not overwrite. */
  readonly retain?: (desired: JsonObject, observed: JsonObject) => JsonObject;
  /** The part of the status that is reported back; absent when there is none yet. */
  readonly reflect?: (object: JsonObject) => JsonObject | undefined;
  readonly health?: (object: JsonObject) => Health;
  /** The template with the status that its copies in all clusters come to. */
  readonly aggregate?: (template: JsonObject, items: readonly AggregatedStatusItem[]) => JsonObject;
  readonly dependencies?: (object: JsonObject) => readonly Dependency[];
}

/** Knows kinds. */
export interface Interpreter {
  /** What is known of a kind; an interpreter that knows only the name when nothing is. */
  of(apiVersion: string, kind: string): KindInterpreter;
}
