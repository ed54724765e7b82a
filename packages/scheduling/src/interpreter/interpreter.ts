import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import type {
  Component,
  ReplicaRequirements,
} from '@perigee/api/kinds/placement/replica-requirements';
import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import type { JsonObject } from '@perigee/schema/json';

export type Health = 'Healthy' | 'Unhealthy' | 'Unknown';

/** The replicas of an object, and the requirements of each. */
export interface ReplicaDemand {
  readonly replicas: number;
  readonly requirements?: ReplicaRequirements;
}

/** A prerequisite of an object: one object by name, or all that match a selector. */
export interface Dependency {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: LabelSelectorSpec;
}

/**
 * Interprets one kind of workload. All functions are pure and optional: without them, the kind has
 * no replicas, its status is copied, its health is unknown, and so on.
 */
export interface KindInterpreter {
  readonly apiVersion: string;
  readonly kind: string;
  readonly demand?: (object: JsonObject) => ReplicaDemand;
  /** For work with several pod templates; takes precedence over `demand`. */
  readonly components?: (object: JsonObject) => readonly Component[];
  /** The object with this many replicas. */
  readonly revise?: (object: JsonObject, replicas: number) => JsonObject;
  /** Keeps the fields that the member cluster owns. */
  readonly retain?: (desired: JsonObject, observed: JsonObject) => JsonObject;
  /** The part of the status to report; undefined before there is one. */
  readonly reflect?: (object: JsonObject) => JsonObject | undefined;
  readonly health?: (object: JsonObject) => Health;
  /** The template with the aggregated status of all its copies. */
  readonly aggregate?: (template: JsonObject, items: readonly AggregatedStatusItem[]) => JsonObject;
  readonly dependencies?: (object: JsonObject) => readonly Dependency[];
}

export interface Interpreter {
  /** The interpreter of a kind; an empty one for unknown kinds. */
  of(apiVersion: string, kind: string): KindInterpreter;
}
