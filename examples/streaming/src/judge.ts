/* Who was connected from when to when, as the server saw it: it knows nothing of Redis, leases or limits. */
import { machineNow } from '@holdfast/example-common';

/** What a subscriber shows at the door. */
export interface Ticket {
  subscriber: string;
  seat: number;
  /** The fencing token of that seat. */
  token: number;
}

export interface Connection extends Ticket {
  openedAt: number;
  closedAt: number | undefined;
  /** Events pushed to it. */
  sent: number;
  /** Still there when somebody with a newer token for its seat came, so the server ended it. */
  displaced: boolean;
}

export class Judge {
  readonly all: Connection[] = [];
  maxOpen = 0;

  get open(): Connection[] {
    return this.all.filter(({ closedAt }) => closedAt === undefined);
  }

  admit(ticket: Ticket): Connection {
    const connection = { ...ticket, openedAt: machineNow(), closedAt: undefined, sent: 0, displaced: false };
    this.all.push(connection);
    this.maxOpen = Math.max(this.maxOpen, this.open.length);
    return connection;
  }

  close(connection: Connection): void {
    connection.closedAt ??= machineNow();
  }

  /** The latest connection of this subscriber. */
  of(subscriber: string): Connection {
    const found = this.all.findLast((connection) => connection.subscriber === subscriber);
    if (!found) throw new Error(`${subscriber} has never been connected`);
    return found;
  }
}
