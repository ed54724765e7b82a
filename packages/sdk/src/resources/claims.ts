import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Connection } from '../connection.ts';
import { Resources, type WaitOptions } from './resources.ts';

/** Claims for data: work that runs only where its data is. */
export class Claims extends Resources<typeof DataSourceClaim> {
  constructor(connection: Connection) {
    super(connection, DataSourceClaim);
  }

  /** Waits until the claim has its data. */
  bound(name: string, options: WaitOptions = {}): Promise<DataSourceClaim> {
    return this.until(name, ({ status }) => status?.phase === 'Bound', options);
  }
}
