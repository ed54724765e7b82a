import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { readNodeClaim } from '../clusters/room/node-claim.ts';
import { type SetPart, setPartsOf } from '../placement/scheduler/estimate/estimate-sets.ts';
import { podShapeOf } from '../placement/scheduler/estimate/pod-shape.ts';
import { isDivisible } from '../placement/scheduler/placement-request.ts';

/** The pods of work in one cluster; `replicas` matters only for divided work. */
export const podsOfWork = (
  spec: BindingSpec,
  replicas = spec.replicas ?? 0,
): readonly SetPart[] => {
  const { components = [], replicaRequirements } = spec;
  if (!isDivisible(spec)) return setPartsOf(components);
  return [
    {
      replicas,
      shape: podShapeOf(replicaRequirements?.resourceRequest),
      claim: readNodeClaim(replicaRequirements?.nodeClaim),
    },
  ];
};
