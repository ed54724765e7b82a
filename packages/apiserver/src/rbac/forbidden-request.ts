import type { ApiError } from '@perigee/kube/errors';
import type { Attributes } from '@perigee/kubernetes/authorization/attributes';
import { goQuote } from '@perigee/schema/go-text';
import { forbidden, forbiddenPath } from '../status/object-refusals.ts';

const HTML: { readonly [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A refusal with text from a client must not render as a page. */
const withoutHtml = (text: string): string => text.replace(/[&<>]/g, (char) => HTML[char] ?? char);

const describe = (attributes: Attributes): string => {
  const { user, verb } = attributes;
  const who = `User ${goQuote(user.name)} cannot ${verb}`;
  if ('path' in attributes) return `${who} path ${goQuote(attributes.path)}`;
  const { resource, subresource, apiGroup, namespace } = attributes;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where =
    namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  return `${who} resource ${goQuote(what)} in API group ${goQuote(apiGroup)} ${where}`;
};

/** The response to a request that is not authorized. */
export const forbiddenRequest = (attributes: Attributes, reason: string): ApiError => {
  const text = withoutHtml(describe(attributes));
  const why = reason === '' ? text : `${text}: ${reason}`;
  if ('path' in attributes || attributes.resource === '') return forbiddenPath(why);
  const { apiGroup, resource, name } = attributes;
  return forbidden({ group: apiGroup, plural: resource }, name, why);
};
