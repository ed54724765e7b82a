import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import type { Logger } from '@perigee/kube/observe/logger';
import {
  createAuthority,
  type KeyPair,
  renewAuthority,
} from '@perigee/kube/pki/certificate-authority';
import { authorityValidity } from '@perigee/kube/pki/validity';
import { formatTime } from '@perigee/schema/values/time';
import {
  certificateFile,
  keyFile,
  readKeyPair,
  type StoredKeyPair,
  writeKeyPair,
} from './key-pair-files.ts';
import type { SecretFiles } from './secret-files.ts';

interface AuthorityOptions {
  readonly files: SecretFiles;
  readonly clock: Clock;
  readonly logger?: Logger;
}

const LASTS_MS = 3652 * 86_400_000;
const NAME = 'perigee-ca';
const HANDED_OUT_AGAIN = 'after which every kubeconfig has to be handed out again';

/** Our own authority has a name and no other attributes; renewal would lose those of another. */
const isOurs = ({ certificate }: StoredKeyPair): boolean =>
  certificate.subject === `CN=${NAME}` && certificate.issuer === certificate.subject;

/** Makes an authority usable that was made by a clock which was ahead by years. */
const begunNow = (
  { files, clock, logger }: AuthorityOptions,
  storedPair: StoredKeyPair,
): KeyPair => {
  const path = files.where(certificateFile('ca'));
  const { validFrom } = storedPair.certificate;
  if (!isOurs(storedPair)) {
    throw new ConfigError(
      `${path} is valid from ${validFrom} only, and the clock says ${formatTime(clock.now())}: set the clock if it is wrong, or replace the certificate`,
    );
  }
  const renewedPair = renewAuthority(storedPair, authorityValidity(clock.now(), LASTS_MS));
  writeKeyPair(files, 'ca', renewedPair);
  logger?.warn(
    'the certificate of the authority was made by a clock that was ahead; it is made anew with the same key, and kubeconfigs that were copied elsewhere have to be handed out again',
    { path, validFrom },
  );
  return renewedPair;
};

/** The authority of a server, which is made at its first start. */
export const readAuthority = (options: AuthorityOptions): KeyPair => {
  const { files, clock } = options;
  const storedPair = readKeyPair(files, 'ca');
  const path = files.where(certificateFile('ca'));
  if (storedPair === undefined) {
    if (files.readPublic(certificateFile('ca')) !== undefined) {
      throw new ConfigError(
        `${files.where(keyFile('ca'))} is missing: restore it, or delete ${path} to make a new authority, ${HANDED_OUT_AGAIN}`,
      );
    }
    const authority = createAuthority(NAME, authorityValidity(clock.now(), LASTS_MS));
    writeKeyPair(files, 'ca', authority);
    return authority;
  }
  if (!storedPair.isWhole) {
    throw new ConfigError(
      `${files.where(keyFile('ca'))} does not belong to ${path}: restore the one that is wrong`,
    );
  }
  const { certificate } = storedPair;
  if (certificate.validToDate.getTime() <= clock.now()) {
    throw new ConfigError(
      `${path} ended on ${certificate.validTo}, and the clock says ${formatTime(clock.now())}: set the clock if it is wrong; else delete the certificate and its key to make a new authority, ${HANDED_OUT_AGAIN}`,
    );
  }
  return certificate.validFromDate.getTime() > clock.now()
    ? begunNow(options, storedPair)
    : storedPair;
};
