"""`tf.image`: images of other sizes, parts of images, flips and colours."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.images.area_resizing import resize_area as resize_area
from .ops.images.box_crops import crop_and_resize as crop_and_resize
from .ops.images.box_drawing import draw_bounding_boxes as draw_bounding_boxes
from .ops.images.box_suppression import non_max_suppression as non_max_suppression
from .ops.images.box_suppression import non_max_suppression_overlaps as non_max_suppression_overlaps
from .ops.images.box_suppression import non_max_suppression_padded as non_max_suppression_padded
from .ops.images.box_suppression import non_max_suppression_with_scores as non_max_suppression_with_scores
from .ops.images.color_spaces import rgb_to_yiq as rgb_to_yiq
from .ops.images.color_spaces import rgb_to_yuv as rgb_to_yuv
from .ops.images.color_spaces import yiq_to_rgb as yiq_to_rgb
from .ops.images.color_spaces import yuv_to_rgb as yuv_to_rgb
from .ops.images.distorted_boxes import sample_distorted_bounding_box as sample_distorted_bounding_box
from .ops.images.glimpses import extract_glimpse as extract_glimpse
from .ops.images.image_colors import adjust_brightness as adjust_brightness
from .ops.images.image_colors import adjust_contrast as adjust_contrast
from .ops.images.image_colors import convert_image_dtype as convert_image_dtype
from .ops.images.image_colors import grayscale_to_rgb as grayscale_to_rgb
from .ops.images.image_colors import per_image_standardization as per_image_standardization
from .ops.images.image_colors import random_brightness as random_brightness
from .ops.images.image_colors import random_contrast as random_contrast
from .ops.images.image_colors import rgb_to_grayscale as rgb_to_grayscale
from .ops.images.image_file_calls import decode_jpeg as decode_jpeg
from .ops.images.image_file_calls import encode_jpeg as encode_jpeg
from .ops.images.image_files import decode_bmp as decode_bmp
from .ops.images.image_files import decode_gif as decode_gif
from .ops.images.image_files import decode_image as decode_image
from .ops.images.image_files import decode_png as decode_png
from .ops.images.image_files import encode_png as encode_png
from .ops.images.image_frames import central_crop as central_crop
from .ops.images.image_frames import crop_to_bounding_box as crop_to_bounding_box
from .ops.images.image_frames import flip_left_right as flip_left_right
from .ops.images.image_frames import flip_up_down as flip_up_down
from .ops.images.image_frames import pad_to_bounding_box as pad_to_bounding_box
from .ops.images.image_frames import random_flip_left_right as random_flip_left_right
from .ops.images.image_frames import random_flip_up_down as random_flip_up_down
from .ops.images.image_frames import resize_image_with_crop_or_pad as resize_image_with_crop_or_pad
from .ops.images.image_frames import resize_image_with_crop_or_pad as resize_with_crop_or_pad
from .ops.images.image_frames import rot90 as rot90
from .ops.images.image_frames import transpose_image as transpose
from .ops.images.image_frames import transpose_image as transpose_image
from .ops.images.image_hues import adjust_gamma as adjust_gamma
from .ops.images.image_hues import adjust_hue as adjust_hue
from .ops.images.image_hues import adjust_saturation as adjust_saturation
from .ops.images.image_hues import hsv_to_rgb as hsv_to_rgb
from .ops.images.image_hues import random_hue as random_hue
from .ops.images.image_hues import random_saturation as random_saturation
from .ops.images.image_hues import rgb_to_hsv as rgb_to_hsv
from .ops.images.image_quality import psnr as psnr
from .ops.images.image_quality import ssim as ssim
from .ops.images.image_quality import ssim_multiscale as ssim_multiscale
from .ops.images.image_slopes import image_gradients as image_gradients
from .ops.images.image_slopes import sobel_edges as sobel_edges
from .ops.images.image_slopes import total_variation as total_variation
from .ops.images.jpeg_quality import adjust_jpeg_quality as adjust_jpeg_quality
from .ops.images.jpeg_quality import decode_and_crop_jpeg as decode_and_crop_jpeg
from .ops.images.jpeg_quality import random_jpeg_quality as random_jpeg_quality
from .ops.images.jpeg_shape import extract_jpeg_shape as extract_jpeg_shape
from .ops.images.jpeg_shape import is_jpeg as is_jpeg
from .ops.images.padded_resizing import resize_image_with_pad as resize_image_with_pad
from .ops.images.resizing_calls import ResizeMethod as ResizeMethod
from .ops.images.resizing_calls import resize_images as resize
from .ops.images.resizing_calls import resize_images as resize_images
from .ops.images.resizing_ops import resize_bicubic as resize_bicubic
from .ops.images.resizing_ops import resize_bilinear as resize_bilinear
from .ops.images.resizing_ops import resize_nearest_neighbor as resize_nearest_neighbor
from .ops.images.suppression_by_class import combined_non_max_suppression as combined_non_max_suppression
from .ops.pooling.image_patches import extract_image_patches as extract_image_patches
from .ops.pooling.image_patches import extract_image_patches as extract_patches
from .ops.random.random_shuffle import random_crop as random_crop

__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_jpeg_quality",
    "adjust_saturation", "central_crop", "combined_non_max_suppression", "convert_image_dtype", "crop_and_resize",
    "crop_to_bounding_box", "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg",
    "decode_png", "draw_bounding_boxes", "encode_jpeg", "encode_png", "extract_glimpse", "extract_image_patches",
    "extract_jpeg_shape", "extract_patches", "flip_left_right", "flip_up_down", "grayscale_to_rgb", "hsv_to_rgb",
    "image_gradients", "is_jpeg", "non_max_suppression", "non_max_suppression_overlaps",
    "non_max_suppression_padded", "non_max_suppression_with_scores", "pad_to_bounding_box",
    "per_image_standardization", "psnr", "random_brightness", "random_contrast", "random_crop",
    "random_flip_left_right", "random_flip_up_down", "random_hue", "random_jpeg_quality", "random_saturation",
    "resize", "resize_area", "resize_bicubic", "resize_bilinear", "resize_image_with_crop_or_pad",
    "resize_image_with_pad", "resize_images", "resize_nearest_neighbor", "resize_with_crop_or_pad",
    "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "rot90", "sample_distorted_bounding_box",
    "sobel_edges", "ssim", "ssim_multiscale", "total_variation", "transpose", "transpose_image", "yiq_to_rgb",
    "yuv_to_rgb",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
