/** Found from here: the package has no way in for those who ask from elsewhere. */
export { createBashTool } from 'bash-tool';
