import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { RecentMap } from '@perigee/schema/recent-map';
import type { CarriedPlacement } from '../../data/carried-placement.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import { decisionKey } from './decision-key.ts';
import type { PlacementWorld } from './place.ts';
import { type Decision, schedule } from './schedule.ts';

/** Limit of cached decisions: a few policies make many equal bindings. */
const MOST_REMEMBERED = 256;

/**
 * A cache of decisions: equal bindings share one while the clusters are unchanged. The decisions are the same as
 * without the cache.
 */
export class RecentDecisions {
  readonly #decisions = new WeakMap<readonly ClusterFacts[], RecentMap<string, Decision>>();

  decide(
    spec: BindingSpec,
    status: BindingStatus,
    world: PlacementWorld,
    dataPlacement?: CarriedPlacement,
  ): Decision {
    const key = world.rules.areRepeatable ? decisionKey(spec, status, dataPlacement) : undefined;
    if (key === undefined) return schedule(spec, status, world, dataPlacement);
    const decisions = this.#decidedWith(world.clusters);
    const recentDecision = decisions.get(key);
    if (recentDecision !== undefined) return recentDecision;
    const decision = schedule(spec, status, world, dataPlacement);
    decisions.set(key, decision);
    return decision;
  }

  #decidedWith(clusters: readonly ClusterFacts[]): RecentMap<string, Decision> {
    const recentDecisions = this.#decisions.get(clusters);
    if (recentDecisions !== undefined) return recentDecisions;
    const decisions = new RecentMap<string, Decision>(MOST_REMEMBERED);
    this.#decisions.set(clusters, decisions);
    return decisions;
  }
}
