import type { ListenOptions } from '@perigee/kube/manager/http-listener';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

/** Parses a listen address: `10358` is loopback only, `0.0.0.0:10358` or `[::]:10358` all interfaces. */
export const parseListen = (text: string): ListenOptions => {
  const [, ipv6, name, digits] =
    /^(?:(?:\[([0-9a-fA-F:]+)\]|([^:[\]]+)):)?([0-9]+)$/.exec(text) ?? [];
  const port = Number(digits ?? Number.NaN);
  if (!(port <= 65_535)) {
    throw new CommandError(
      EXIT.usage,
      `--listen ${text}: write a port, or an address and a port such as 0.0.0.0:10358`,
    );
  }
  const host = ipv6 ?? name;
  return host === undefined ? { port } : { host, port };
};
