import { isJsonObject, type JsonObject } from '@perigee/api/json';

/** The label by which users protect objects of the control plane, and its value. */
export const DELETION_PROTECTED = 'resourcetemplate.karmada.io/deletion-protected';
const ALWAYS = 'Always';

/** Why an object is not to be deleted, in the words that users of Karmada look for; nothing when it may be. */
export const deletionProblem = ({ metadata }: JsonObject): string | undefined => {
  const labels = isJsonObject(metadata) ? metadata.labels : undefined;
  return isJsonObject(labels) && labels[DELETION_PROTECTED] === ALWAYS
    ? `This resource is protected, please make sure to remove the label: ${DELETION_PROTECTED}`
    : undefined;
};
