import CLivery
import Livery
