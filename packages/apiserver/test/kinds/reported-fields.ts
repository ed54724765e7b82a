import { isJsonObject, type JsonObject } from '@perigee/schema/json';

/** The fields that a refusal is about, in its order. */
export const reportedFields = ({ details }: JsonObject): readonly unknown[] =>
  isJsonObject(details) && Array.isArray(details.causes)
    ? details.causes.map((cause) => isJsonObject(cause) && cause.field)
    : [];
