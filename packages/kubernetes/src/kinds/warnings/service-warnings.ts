import type { JsonObject } from '@perigee/schema/json';
import { mapAt, objectAt, textAt, textsAt } from '@perigee/schema/json-fields';

const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';

/** Warnings about fields of a service that are ignored or deprecated. */
export const serviceWarnings = (service: JsonObject): readonly string[] => {
  const spec = objectAt(service, 'spec');
  const isNamed = spec.type === 'ExternalName';
  const isHeadless = spec.clusterIP === 'None';
  const hasExternal = textsAt(spec, 'externalIPs').length > 0;
  const warnings: readonly (readonly [isOdd: boolean, why: string])[] = [
    [
      mapAt(service, 'metadata', 'annotations')[HINTS] !== undefined,
      `annotation ${HINTS} is deprecated, please use ${MODE} instead`,
    ],
    [
      isHeadless && textAt(spec, 'loadBalancerIP') !== '',
      'spec.loadBalancerIP is ignored for headless services',
    ],
    [isHeadless && hasExternal, 'spec.externalIPs is ignored for headless services'],
    [
      isHeadless && spec.sessionAffinity !== 'None',
      'spec.SessionAffinity is ignored for headless services',
    ],
    [
      hasExternal && !isHeadless && !isNamed,
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ],
    [hasExternal && isNamed, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
    [
      !isNamed && textAt(spec, 'externalName') !== '',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
    [
      spec.trafficDistribution === 'PreferClose',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ];
  return warnings.flatMap(([isOdd, why]) => (isOdd ? [why] : []));
};
