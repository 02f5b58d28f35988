/** What to grant, as lines for the server. */

export interface Asked {
  readonly prefix: string;
  readonly quorum: boolean;
  readonly cluster: boolean;
}

export function keyPattern({ prefix }: Asked): string {
  return `~${prefix}*`;
}

export function channelPattern({ prefix, cluster }: Asked): string {
  return cluster ? '&*' : `&${prefix}holdfast:*`;
}

const LIBRARY =
  '+eval +evalsha +time +get +set +del +exists +pttl +pexpire +zadd +zrem +zrange +zcard +zscore +zmscore +zrank +zpopmin +publish +subscribe +pubsub|numsub +info +ping +type';
const QUORUM = '+hget +hset +hdel +hmget +hgetall +hexists';
const CLUSTER = '+spublish +ssubscribe +sunsubscribe +pubsub|shardnumsub +cluster +asking';
/** For ls, top, show and release. */
const PROGRAM = '+scan +getrange +hget +xadd +xrevrange +acl|whoami';

/** Grants all that Holdfast and this program need, and no more. */
export function aclLine(user: string, asked: Asked): string {
  const rights = [LIBRARY, ...(asked.quorum ? [QUORUM] : []), ...(asked.cluster ? [CLUSTER] : []), PROGRAM];
  return `ACL SETUSER ${user} on ${keyPattern(asked)} ${channelPattern(asked)} ${rights.join(' ')}`;
}

const AUDIT =
  '+scan +type +pttl +object|idletime +time +exists +strlen +hlen +zcard +llen +scard +getrange +hkeys +zrange +lrange +ping';

/** For a user of its own that audits: it reads anybody's keys, and writes nothing. */
export function auditAclLine({ cluster }: Asked, serverVersion: string): string {
  const [major = 0, minor = 0] = serverVersion.split('.').map(Number);
  // Then a look makes nothing look used; an older server would refuse a line with a right that it does not know.
  const noTouch = major > 7 || (major === 7 && minor >= 2) ? ' +client|no-touch' : '';
  return `ACL SETUSER auditor on >PASSWORD %R~* ${AUDIT}${noTouch}${cluster ? ' +cluster' : ''}`;
}
