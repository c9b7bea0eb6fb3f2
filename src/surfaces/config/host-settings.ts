import type { ProjectRight, Setting } from './setting.ts';
import { hosts, text } from './setting-type.ts';

const CHOOSES_PLACE: ProjectRight = {
  never: 'it decides where commands run, and what protects you from them',
};

/** Where commands run. */
export const HOST_SETTINGS: Readonly<Record<string, Setting>> = {
  host: {
    type: text,
    default: 'this machine',
    help: 'Where commands run: local, sandbox, ssh:<destination>, or a name in hosts',
    project: CHOOSES_PLACE,
    option: 'host',
  },
  hosts: {
    type: hosts,
    default: 'none',
    help: 'Hosts by name',
    project: CHOOSES_PLACE,
    option: 'hosts',
  },
};
