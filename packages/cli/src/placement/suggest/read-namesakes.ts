import type { Client } from '@perigee/kube/client/client';
import type { ApiResource } from '@perigee/kube/client/discovery';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import { ApiError, UnknownKindError } from '@perigee/kube/errors';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import type { AnyPolicy } from '@perigee/scheduling/placement/policy/policy-for';
import {
  type DoubtfulSelector,
  doubtfulSelectors,
} from '@perigee/scheduling/suggest/candidates/by-selection';
import { present } from '@perigee/schema/present';

/** Maximum numbers of nearly matching selectors, and of objects listed for each. */
const MOST_SELECTORS = 10;
const MOST_OBJECTS = 100;

const servedKind = async (
  mapper: RestMapper,
  apiVersion: string,
  kind: string,
): Promise<ApiResource | undefined> => {
  try {
    return await mapper.byKind(apiVersion, kind);
  } catch (error) {
    if (error instanceof UnknownKindError) return undefined;
    throw error;
  }
};

const readSelected = async (
  client: Client,
  mapper: RestMapper,
  { selector, namespace }: DoubtfulSelector,
): Promise<readonly Template[]> => {
  const { apiVersion, kind, name } = selector;
  const resource = await servedKind(mapper, apiVersion, kind);
  if (resource === undefined) return [];
  const options = {
    ...present({ namespace, fieldSelector: name ? `metadata.name=${name}` : undefined }),
    limit: MOST_OBJECTS,
  };
  try {
    const { items } = await client.list(resource, options);
    return items.map((one) => ({ ...one, apiVersion, kind }) as never as Template);
  } catch (error) {
    // Objects that may not be read may well be there: the selector counts as right.
    if (!(error instanceof ApiError)) throw error;
    const metadata = { name: name || 'hidden', ...present({ namespace }) };
    return [{ apiVersion, kind, metadata, spec: {} } as never as Template];
  }
};

/** Reads the objects that nearly matching policies select: a selector that selects any is not mistyped. */
export const readNamesakes = async (
  client: Client,
  mapper: RestMapper,
  template: Template,
  policies: readonly AnyPolicy[],
): Promise<readonly Template[]> => {
  const doubtful = doubtfulSelectors(template, policies).slice(0, MOST_SELECTORS);
  const selections = await Promise.all(doubtful.map((one) => readSelected(client, mapper, one)));
  return selections.flat();
};
