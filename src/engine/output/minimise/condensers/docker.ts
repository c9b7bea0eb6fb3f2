import type { Condenser } from '../condenser.ts';

export const docker: Condenser = {
  name: 'docker',
  commands: ['docker', 'docker-compose', 'podman', 'buildah'],
  rules: [
    {
      what: 'layers',
      pattern:
        /^(?:\S+ )?[\da-f]{12}:? (?:Pulling fs layer|Waiting|Verifying Checksum|Download complete|Pull complete|Already exists|Downloading|Extracting|Preparing|Pushed|Pushing|Layer already exists|Mounted)/,
      sure: true,
    },
    {
      what: 'steps',
      pattern:
        /^#\d+ (?:sha256:|extracting|resolve|transferring|exporting|writing image|naming to|CACHED|DONE|\.\.\.|\[internal\]|preparing|unpacking)|^ ---> |^Removing intermediate/,
      sure: true,
    },
  ],
};
