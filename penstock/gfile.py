"""Files and folders of this machine: the names of `tf.gfile`."""

from .interchange.files.file_object import FastGFile as FastGFile
from .interchange.files.file_object import GFile as GFile
from .interchange.files.file_operations import Copy as Copy
from .interchange.files.file_operations import DeleteRecursively as DeleteRecursively
from .interchange.files.file_operations import Exists as Exists
from .interchange.files.file_operations import Glob as Glob
from .interchange.files.file_operations import IsDirectory as IsDirectory
from .interchange.files.file_operations import ListDirectory as ListDirectory
from .interchange.files.file_operations import MakeDirs as MakeDirs
from .interchange.files.file_operations import MkDir as MkDir
from .interchange.files.file_operations import Remove as Remove
from .interchange.files.file_operations import Rename as Rename
from .interchange.files.file_operations import Stat as Stat
from .interchange.files.file_operations import Walk as Walk

Open = GFile
