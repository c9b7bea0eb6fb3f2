import type { Server } from '@modelcontextprotocol/server';
import type { Announcer, ToolSession } from '../tool-session.ts';

/**
 * Tells a client what happens in its session, for as long as it is connected. In the older revision it names what it wants
 * to hear of; in the newer one the connection does that, and what nobody wants goes no further than there.
 */
export function announceTo(
  server: Server,
  { session, isModern }: { readonly session: ToolSession; readonly isModern: boolean },
): void {
  const subscribed = new Set<string>();
  const announcer: Announcer = {
    subscribed,
    resourceUpdated: (uri) => {
      if (isModern || subscribed.has(uri)) send(server.sendResourceUpdated({ uri }));
    },
    resourcesChanged: () => send(server.sendResourceListChanged()),
    jobEnded: (data, failed) => {
      if (!isModern)
        send(server.sendLoggingMessage({ level: failed ? 'warning' : 'info', logger: 'jobs', data }));
    },
  };
  session.announcers.add(announcer);
  server.onclose = () => void session.announcers.delete(announcer);
  if (isModern) return;
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    subscribed.add(uri);
    session.watch();
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
}

/** Whether it arrives is seen by the next request, or by the end of the connection. */
function send(sent: Promise<void>): void {
  sent.catch(() => undefined);
}
