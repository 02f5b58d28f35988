/* How the game company calls the marketplace. */
import { Agent, request } from 'node:http';

export class MarketplaceClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly port: number) {}

  /** One offer in the name of an account. Resolves whether it was taken: 429 means that it was not. */
  offer(account: number, signal?: AbortSignal): Promise<boolean> {
    const { agent, port } = this;
    const path = `/accounts/${account}/offers`;
    return new Promise((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, path, method: 'POST', agent, signal }, (response) => {
        const { statusCode } = response;
        const strange = new Error(`the marketplace answered ${statusCode}`);
        const settle = () =>
          statusCode === 200 || statusCode === 429 ? resolve(statusCode === 200) : reject(strange);
        response.on('error', reject).on('end', settle).resume();
      });
      call.on('error', reject).end();
    });
  }
}
