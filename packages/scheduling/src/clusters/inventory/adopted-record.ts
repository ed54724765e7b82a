import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { present } from '@perigee/schema/present';
import { ADOPTED_FROM } from './execution-target.ts';
import { INVENTORY_LABELS, type Labels } from './inventory-labels.ts';

/** A record for a cluster that has an execution target only. */
export type AdoptedRecord = Pick<ClusterRecord, 'spec'> & {
  readonly metadata: { readonly name: string; readonly annotations: Labels };
};

const HTTP_URL = /^https?:\/\/[^@ ]+$/;

const parts = <K extends string>(fields: { readonly [key in K]: string | undefined }) => {
  const entries = Object.entries<string | undefined>(fields).filter(([, text]) => text);
  return entries.length === 0
    ? undefined
    : (Object.fromEntries(entries) as { readonly [key in K]?: string });
};

/** The cluster record that adopts an execution target, filled from the target. */
export const adoptedRecord = ({ metadata, spec }: MemberCluster): AdoptedRecord => {
  const { labels = {} } = metadata;
  const label = (what: keyof typeof INVENTORY_LABELS) => labels[INVENTORY_LABELS[what]];
  const { apiEndpoint = '' } = spec;
  return {
    metadata: { name: metadata.name, annotations: { [ADOPTED_FROM]: metadata.uid } },
    spec: {
      type: 'kubernetes',
      ...present({
        apiEndpoint: HTTP_URL.test(apiEndpoint) ? apiEndpoint : undefined,
        secretRef: spec.secretRef,
        geoLocation: parts({
          city: label('city'),
          province: label('province'),
          area: label('area'),
          country: label('country'),
        }),
        region: parts({
          region: spec.region || label('region'),
          availabilityZone: spec.zones?.[0] || label('zone'),
        }),
        operator: parts({ operator: spec.provider || label('provider') }),
      }),
    },
  };
};
