import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Connection } from '../connection.ts';
import { Resources, type WaitOptions } from './resources.ts';

/** Data claims: they hold work until its data is available, and place it there. */
export class Claims extends Resources<typeof DataSourceClaim> {
  constructor(connection: Connection) {
    super(connection, DataSourceClaim);
  }

  /** Waits until the claim is Bound. */
  bound(name: string, options: WaitOptions = {}): Promise<DataSourceClaim> {
    return this.until(name, ({ status }) => status?.phase === 'Bound', options);
  }
}
