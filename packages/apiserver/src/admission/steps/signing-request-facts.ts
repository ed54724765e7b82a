import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { JsonObject } from '@perigee/schema/json';
import { changedAt, changedItems, filled, objectAt, objectsAt } from '@perigee/schema/json-fields';
import { formatTime } from '@perigee/schema/values/time';
import { shownUser } from '../../access/user-info.ts';
import type { AdmissionStep, Draft } from '../../registry/draft.ts';

/** The user of the server's own writes. */
const SERVER: UserInfo = {
  name: 'system:apiserver',
  groups: ['system:masters', 'system:authenticated'],
};

const withRequester = (object: JsonObject, user: UserInfo): JsonObject =>
  changedAt(object, 'spec', ({ username, uid, groups, extra, ...spec }) => ({
    ...spec,
    ...shownUser(user),
  }));

/** An unchanged condition keeps its transition time. */
const withTimes = (object: JsonObject, old: JsonObject, now: string): JsonObject => {
  const before = objectsAt(objectAt(old, 'status'), 'conditions');
  return changedAt(object, 'status', (status) =>
    changedItems(status, 'conditions', (condition) => {
      const same = before.find(
        ({ type, status: currentStatus }) =>
          type === condition.type && currentStatus === condition.status,
      );
      const lastTransitionTime = same?.lastTransitionTime ?? now;
      return filled(condition, { lastUpdateTime: now, lastTransitionTime });
    }),
  );
};

const isSigningRequest = ({ resource: { group, plural } }: Draft): boolean =>
  group === 'certificates.k8s.io' && plural === 'certificatesigningrequests';

/** Records in a certificate signing request its creator, and the time of its approval or denial. */
export const signingRequestFacts: AdmissionStep = (registry, draft) => {
  const { object, old, subresource } = draft;
  if (!isSigningRequest(draft)) return object;
  if (old === undefined) return withRequester(object, registry.caller?.user ?? SERVER);
  if (subresource === undefined) return object;
  return withTimes(object, old, formatTime(registry.clock.now()));
};
